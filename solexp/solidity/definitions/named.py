"""The definitions that errors name: what SolBench's RACR fetches for a repair (paper, §5)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from solexp.core import CompileError, Task
from solexp.solidity.definitions.index import Declaration, index_of
from solexp.solidity.definitions.render import DIRECTIVES, render

_WORD = re.compile(r"[A-Za-z_$][\w$]*")
_QUOTED = re.compile(r"[\"'`]([^\"'`\n]{1,200})[\"'`]")
_TYPE = re.compile(r"\b(?:contract|interface|library|struct|enum|type)\s+([\w$.]+)")
_KEYWORDS = """abstract address assembly bool break byte bytes calldata case catch constant constructor continue
contract default delete do else emit enum error event external fallback false final fixed for from function global if
immutable import in indexed int interface internal is let library mapping memory modifier new override payable
pragma private public pure receive return returns revert storage string struct super switch this throw true try tuple
type uint unchecked using var view virtual while block msg now require assert tx abi"""
_WORDS = frozenset(_KEYWORDS.split())
_NUMBERED = re.compile(r"(?:u?int|bytes|u?fixed)\d[\dx]*\Z")


def names_in(errors: Iterable[CompileError], sources: Mapping[str, str]) -> tuple[str, ...]:
    """The names that compiler errors are about, in the order in which they occur, without Solidity's own words.

    They are those that a message quotes, the types it speaks of, and those in the piece of ``sources`` (what was
    compiled) that the error points at, as far as that is on one line. An error without any, such as on ``override``, is
    about the definition that it lies in.
    """
    found: dict[str, None] = {}
    for error in errors:
        texts = [match[1] for match in _QUOTED.finditer(error.message)]
        texts += [match[1] for match in _TYPE.finditer(error.message)]
        source = sources.get(error.path or "")
        if source is not None and error.start is not None and error.end is not None:
            spot = source.encode()[error.start : error.end]
            texts.append(spot.split(b"\n")[0].decode("utf-8", "replace"))
        words = [word for text in texts for word in _WORD.findall(text)]
        about = [word for word in words if word not in _WORDS and not _NUMBERED.match(word)]
        if not about and source is not None and error.start is not None:
            around = index_of(dict(sources)).at(error.path or "", error.start)
            about = [around.name] if around is not None and around.name else []
        found.update(dict.fromkeys(about))
    return tuple(found)


def definitions_named(task: Task, names: Iterable[str], *, comments: bool = True) -> str:
    """The definitions in the task's sources that bear one of ``names``, as Solidity; empty when there are none.

    Members stand within their contract, without its other members. Nothing of the target is shown, and nothing that
    lies around it; of a function's contract its other members may be.
    """
    index = index_of(task.sources)
    wanted = set(names)
    kept = {
        each.number
        for each in index.declarations
        if each.name in wanted and each.kind not in DIRECTIVES and not _hidden(task, each)
    }
    # A contract that is named is shown whole.
    kept |= {
        each.number
        for each in index.declarations
        if each.contract in kept and not _hidden(task, each)
    }
    return render(index, kept, comments=comments)


def _hidden(task: Task, declaration: Declaration) -> bool:
    """Whether it lies in the target, or around it."""
    target = task.target
    return (
        declaration.path == target.path
        and declaration.start < target.end
        and target.start < declaration.end
    )
