"""Prompt layouts: one Jinja2 file each, over the variables of `solexp.strategies.material.Material`.

A template has up to three blocks. ``system`` becomes the system message (left out when empty), ``user`` the user's
message, and ``answer`` the beginning of the reply, which the raw forms continue.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from pathlib import Path

import jinja2
import jinja2.meta

from solexp.core import Message, Prompt, PromptForm, UserError
from solexp.core.errors import nearest
from solexp.core.hashing import content_hash
from solexp.strategies.material import VARIABLES, Material
from solexp.strategies.templates.bounded import BoundedEnvironment

_FOLDER = Path(__file__).parent
_SUFFIX = ".jinja"
BLOCKS = ("system", "user", "answer")
_ENVIRONMENT = BoundedEnvironment(
    undefined=jinja2.StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    keep_trailing_newline=False,
)


class Template:
    """A layout: the name of one that comes with solexp, or the path of one's own."""

    def __init__(self, name: str, setting: str = "strategy.template") -> None:
        """``setting`` is where the name is given. Raises UserError, in one line, when there is none of that name, or
        when it cannot be one."""
        self.name = name
        self._setting = setting
        path = _path(name, setting)
        try:
            self._text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise UserError(f"{setting}: {path}: cannot be read as UTF-8 text: {error}") from None
        _check(self._text, path)

    @property
    def begins_the_answer(self) -> bool:
        """Whether its prompt ends with the beginning of the answer, which raw forms go on from."""
        return "answer" in _compiled(self._text).blocks

    def fingerprint(self) -> str:
        """Hash of the layout."""
        return content_hash(self._text)

    def block(self, block: str, material: Material) -> str:
        """The text of one block; empty when the template has none of that name.

        Raises UserError when the template fails on this material.
        """
        template = _compiled(self._text)
        if block not in template.blocks:
            return ""
        values = {name: getattr(material, name) for name in VARIABLES}
        try:
            return _ENVIRONMENT.render(template, block, values).strip("\n")
        except Exception as error:  # a template may do anything
            said = (str(error).splitlines() or [""])[0] or type(error).__name__
            raise UserError(
                f"{self._setting}: {self.name}: block '{block}' fails on {material.task_id}: {said}"
            ) from None

    def prompt(
        self,
        material: Material,
        *,
        form: PromptForm = "chat",
        stop: Sequence[str] = (),
        earlier: Sequence[Message] = (),
        holds: dict[str, object] | None = None,
    ) -> Prompt:
        """The prompt in one of the forms; ``earlier`` messages of a conversation go before the user's."""
        system, user, answer = (self.block(block, material) for block in BLOCKS)
        messages: tuple[Message, ...]
        suffix = ""
        if form == "chat":
            first = (Message("system", system),) if system and not earlier else ()
            messages = (*first, *earlier, Message("user", "\n".join(filter(None, (user, answer)))))
        elif form == "infill":
            messages = (Message("user", material.before),)
            suffix = material.after
        else:
            text = "\n\n".join(filter(None, (system, user)))
            messages = (Message("user", "\n".join(filter(None, (text, answer)))),)
        return Prompt(
            task_id=material.task_id,
            messages=messages,
            form=form,
            suffix=suffix,
            stop=tuple(stop),
            holds=holds or {},
        )


def names() -> list[str]:
    """The layouts that come with solexp."""
    return sorted(path.name.removesuffix(_SUFFIX) for path in _FOLDER.glob(f"*{_SUFFIX}"))


def _path(name: str, setting: str) -> Path:
    own = Path(name).expanduser()
    if own.suffix:
        if not own.is_file():
            raise UserError(f"{setting}: no file {own}")
        return own
    path = _FOLDER / f"{name}{_SUFFIX}"
    if not path.is_file():
        raise UserError(
            f"{setting}: no layout '{name}'; {nearest(name, names())}, or give a file's path"
        )
    return path


def _check(text: str, path: Path) -> None:
    try:
        parsed = _ENVIRONMENT.parse(text)
    except jinja2.TemplateSyntaxError as error:
        raise UserError(f"{path} line {error.lineno}: {error.message}") from None
    for name in sorted(jinja2.meta.find_undeclared_variables(parsed)):
        if name not in VARIABLES:
            raise UserError(f"{path}: no variable '{name}'; {nearest(name, VARIABLES)}")
    if next(jinja2.meta.find_referenced_templates(parsed), "") != "":
        raise UserError(f"{path}: stands for itself; it can include, import or extend no other")
    blocks = _compiled(text).blocks
    for name in blocks:
        if name not in BLOCKS:
            raise UserError(f"{path}: no block '{name}'; {nearest(name, BLOCKS)}")
    if "user" not in blocks:
        raise UserError(f"{path}: needs a block 'user'")


@functools.lru_cache(maxsize=64)
def _compiled(text: str) -> jinja2.Template:
    return _ENVIRONMENT.from_string(text)
