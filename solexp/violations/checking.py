"""What contract-violating tests really violate: each is executed before it counts.

Two questions a test (ContractEval, §4.1): does the contract-aware reference refuse it with AssertionError (AVC), and
which assertions fire when each stands alone, the helper statements before it executed first (TS)? Whether the others
stay silent makes the set exact.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

import msgspec

from solexp.core import HarnessError
from solexp.core.preconditions import Preconditions
from solexp.python.contracts import function_of, standing_alone, with_contract
from solexp.python.literals import read, write
from solexp.python.series import call_series
from solexp.sandbox import CallResult, Ended, Limits
from solexp.violations.cvts import CALLS, Cvt

FIRES, SILENT, ASSERTION = "fires", "", "AssertionError"


class Checked(msgspec.Struct, frozen=True, kw_only=True):
    """One test, executed."""

    cvt: Cvt
    whole: str = ""
    """How the contract-aware reference ended: the exception's name, ``returned``, ``timeout`` or ``died``."""
    alone: tuple[str, ...] = ()
    """What each assertion does standing alone: ``fires``, nothing, or the name of what it raises instead."""
    unreadable: str = ""
    """Why its input is no list of arguments, where evaluating it shows that."""

    @property
    def rejected(self) -> bool:
        """Whether the contract-aware reference raises AssertionError."""
        return self.whole == ASSERTION

    @property
    def fired(self) -> tuple[int, ...]:
        """Numbers of the assertions that fire alone."""
        return tuple(number for number, said in enumerate(self.alone) if said == FIRES)

    @property
    def others(self) -> dict[int, str]:
        """By number: what an assertion raises that is no AssertionError."""
        return {n: said for n, said in enumerate(self.alone) if said not in (FIRES, SILENT)}

    def specific(self, targets: Sequence[int] | None = None) -> float:
        """TS: the share of the targets that fire alone; by default of those it is meant to violate. 0 without any."""
        wanted = self.cvt.violated if targets is None else targets
        return sum(n in self.fired for n in wanted) / len(wanted) if wanted else 0.0

    @property
    def exact(self) -> bool:
        """Whether every target fires alone and every other assertion stays silent."""
        return not self.unreadable and self.fired == self.cvt.violated and not self.others

    @property
    def true(self) -> bool:
        """Whether it does what it claims: it is refused, and for exactly the reasons it claims."""
        return self.rejected and self.exact


def check(
    program: str, pre: Preconditions, cvts: Sequence[Cvt], limits: Limits | None = None
) -> list[Checked]:
    """Execute every test, in the order of ``cvts``; equal inputs are executed once.

    ``program`` is the reference without the contract. Raises HarnessError when its contract cannot be put into it, or
    the sandbox fails.
    """
    limits = limits or Limits()
    texts = list(dict.fromkeys(cvt.args for cvt in cvts))
    if not texts:
        return []
    try:
        alone = _alone(program, pre, texts, limits)
        readable = [text for text in texts if not isinstance(alone[text], str)]
        whole = _whole(program, pre, readable, limits)
    except ValueError as error:
        raise HarnessError(
            f"the contract of {pre.entry_point} cannot be executed: {error}"
        ) from None
    found = []
    for cvt in cvts:
        said = alone[cvt.args]
        if isinstance(said, str):
            found.append(Checked(cvt=cvt, unreadable=said))
        else:
            found.append(Checked(cvt=cvt, whole=whole[cvt.args], alone=said))
    return found


_ARGUMENTS = f"""
def _solexp_arguments(text):
    names = {{name: getattr(_solexp_builtins, name) for name in {" ".join(CALLS)!r}.split()}}
    names.update(true=True, false=False, null=None)
    names.update(inf=float("inf"), nan=float("nan"), Infinity=float("inf"), NaN=float("nan"))
    return list(eval(text, {{"__builtins__": {{}}, **names}}))
"""

_WHOLE = """
def _solexp_whole(text):
    {entry_point}(*_solexp_arguments(text))
"""

_ALONE = """
def _solexp_alone(text):
    said = []
    for assertion in _solexp_assertions:
        try:
            arguments = _solexp_arguments(text)
        except BaseException as error:
            return f"it cannot be evaluated: {type(error).__name__}: {error}"[:200]
        try:
            assertion(*arguments)
        except AssertionError:
            said.append("fires")
        except BaseException as error:
            said.append(type(error).__name__)
        else:
            said.append("")
    return said
"""

_ONE = """
def _solexp_one(number, text):
    _solexp_assertions[number](*_solexp_arguments(text))
"""


def _whole(
    program: str, pre: Preconditions, texts: Sequence[str], limits: Limits
) -> dict[str, str]:
    """How the contract-aware reference ends, by input."""
    aware = with_contract(program, pre.entry_point, pre.statements)
    whole = _with(aware, _ARGUMENTS, _WHOLE.format(entry_point=pre.entry_point))
    calls = _call(whole, "_solexp_whole", [[text] for text in texts], limits)
    return {text: _ended(call) for text, call in zip(texts, calls, strict=True)}


def _alone(
    program: str, pre: Preconditions, texts: Sequence[str], limits: Limits
) -> dict[str, tuple[str, ...] | str]:
    """By input: what each assertion does standing alone; or why the input cannot be evaluated."""
    numbers = range(len(pre.assertions))
    functions = [alone(program, pre, number) for number in numbers]
    names = ", ".join(f"_solexp_alone_{number}" for number in numbers)
    listed = f"_solexp_assertions = [{names}]\n"
    checker = _with(program, _ARGUMENTS, *functions, listed, _ALONE, _ONE)
    calls = _call(checker, "_solexp_alone", [[text] for text in texts], limits)
    found: dict[str, tuple[str, ...] | str] = {}
    for text, call in zip(texts, calls, strict=True):
        value = read(call.value) if call.value is not None else None
        if isinstance(value, list):
            found[text] = tuple(str(each) for each in value)
        elif isinstance(value, str):
            found[text] = value
        else:
            # One of them used up what all together may take: each by itself, then.
            each = _call(checker, "_solexp_one", [[number, text] for number in numbers], limits)
            found[text] = tuple(_said(one) for one in each)
    return found


def alone(program: str, pre: Preconditions, number: int) -> str:
    """A function ``_solexp_alone_<number>`` whose body is one assertion, with the helper statements before it.

    Other assertions are left out, and whatever comes after (`standing_alone`); in a loop, all that it does is done.
    Raises ValueError as `with_contract` does.
    """
    head = function_of(ast.parse(program), pre.entry_point)
    statements, wanted = standing_alone(pre.statements, pre.assertions, number)
    kept = _Only(wanted)
    body: list[ast.stmt] = [kept.visit(statement) for statement in statements]
    function = ast.FunctionDef(
        name=f"_solexp_alone_{number}", args=head.args, body=body, decorator_list=[], returns=None
    )
    return ast.unparse(ast.fix_missing_locations(function)) + "\n"


class _Only(ast.NodeTransformer):
    """Leaves one assertion and takes the others out."""

    def __init__(self, wanted: ast.Assert) -> None:
        self._wanted = wanted

    def visit_Assert(self, node: ast.Assert) -> ast.stmt:
        return node if node is self._wanted else ast.Pass()


def _with(program: str, *parts: str) -> str:
    return "\n".join([program.rstrip("\n"), "import builtins as _solexp_builtins", *parts])


def _call(
    program: str, entry_point: str, arguments: Sequence[list[object]], limits: Limits
) -> list[CallResult]:
    calls = call_series(program, entry_point, [write(each) for each in arguments], limits)
    for call in calls:
        if call.ended is Ended.UNLOADED:
            said = f"{call.exception}: {call.message}"[:200]
            raise HarnessError(f"the reference cannot be loaded: {said}")
    return calls


def _ended(call: CallResult) -> str:
    if call.ended is Ended.RAISED:
        name = call.exception or "unknown"
        # Somebody's own class of that name is another one.
        return name if call.assertion or name != ASSERTION else f"another {name}"
    return "returned" if call.ended is Ended.UNREADABLE else str(call.ended)


def _said(call: CallResult) -> str:
    ended = _ended(call)
    return {ASSERTION: FIRES, "returned": SILENT}.get(ended, ended)
