"""Statements of Python: paths through branches and loops, followed at once and joined where they meet again."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from solexp.violations.python.arithmetic import binary
from solexp.violations.python.calls import Module
from solexp.violations.python.evaluation import Limits
from solexp.violations.python.expressions import Interpreter
from solexp.violations.python.logic import and_, not_, or_
from solexp.violations.python.paths import Exit, Names, joined, remaining
from solexp.violations.python.sequences import order_matters, steps
from solexp.violations.python.terms import Bool
from solexp.violations.python.values import (
    Bag,
    Opaque,
    Seq,
    Table,
    Value,
    alternatives,
)


class Program(Interpreter):
    """Executes statements of which one assertion is kept and the others are left out.

    Where ``run`` ends normally the path goes on; `Exit`s say how else it ended.
    """

    def __init__(self, limits: Limits, names: Mapping[str, Value], kept: ast.Assert) -> None:
        super().__init__(limits, names)
        self._kept = kept
        self._escaped: list[Exit] = []
        """Failures of the kept assertion within functions, on their way out."""

    def run(self, statements: Sequence[ast.stmt]) -> list[Exit]:
        """Execute statements; the path and the names afterwards are those of the normal end."""
        exits: list[Exit] = []
        for statement in statements:
            if self.path is False:
                break
            self.looked(1)
            before, known = self.path, self._not_known()
            found = self._statement(statement)
            found += self._raised()
            left = [each.guard for each in found]
            if (now := self._not_known()) is not known:
                # Nothing is known of what comes after something that is not expressed.
                left.append(now)
            self.path = remaining(before, left)
            exits += found
        return exits

    def _raised(self) -> list[Exit]:
        """What the expressions of a statement raised, in order; the first exception counts."""
        found = []
        before: Bool = False
        raised, self.trouble.raised = self.trouble.raised, []
        escaped, self._escaped = self._escaped, []
        for each in escaped:
            found.append(each)
            before = or_(before, each.guard)
        for guard, kind in raised:
            here = and_(guard, not_(before))
            if here is not False:
                found.append(Exit("raise", here, self.frame.names, raised=kind))
                before = or_(before, here)
        return found

    def _statement(self, node: ast.stmt) -> list[Exit]:  # noqa: PLR0911, PLR0912
        match node:
            case ast.Assert():
                return self._assert(node)
            case ast.Pass() | ast.Global() | ast.Nonlocal():
                return [] if isinstance(node, ast.Pass) else self._refused("global")
            case ast.Expr():
                return self._expression(node.value)
            case ast.Assign():
                value = self.evaluate(node.value)
                self._aliased(node.value, value)
                for target in node.targets:
                    self.assign(target, value)
                return []
            case ast.AnnAssign():
                if node.value is not None:
                    self.assign(node.target, self.evaluate(node.value))
                return []
            case ast.AugAssign():
                return self._augmented(node)
            case ast.If():
                return self._branches(node)
            case ast.For():
                return self._for(node)
            case ast.While():
                return self._while(node)
            case ast.FunctionDef():
                if node.decorator_list:
                    return self._refused("a decorator")
                self._bind(node.name, self.function(node))
                return []
            case ast.Return():
                value = None if node.value is None else self.evaluate(node.value)
                return [self._exit("return", value)]
            case ast.Break():
                return [self._exit("break")]
            case ast.Continue():
                return [self._exit("continue")]
            case ast.Raise():
                return self._raise(node)
            case ast.Try():
                return self._try(node)
            case ast.Import() | ast.ImportFrom():
                return self._import(node)
        return self._refused(type(node).__name__)

    def _goes_on(self) -> bool:
        return self.path is not False

    def _refused(self, construct: str) -> list[Exit]:
        self.refuse(construct)
        return []

    def _bind(self, name: str, value: Value) -> None:
        self.frame.names = {**self.frame.names, name: value}

    def _exit(self, kind: str, value: Value = None) -> Exit:
        """A way out for all of the path that has not raised."""
        raised = or_(*(guard for guard, _ in self.trouble.raised))
        return Exit(kind, and_(self.path, not_(raised)), self.frame.names, value)

    def _assert(self, node: ast.Assert) -> list[Exit]:
        if node is not self._kept:
            return []
        truth = self.truth(self.evaluate(node.test))
        raised = or_(*(guard for guard, _ in self.trouble.raised))
        guard = and_(self.path, not_(raised), not_(truth), not_(self._not_known()))
        if guard is False:
            return []
        with self.under(guard):
            if node.msg is not None:
                self.evaluate(node.msg)
        return [Exit("raise", guard, self.frame.names, raised=AssertionError, asserted=True)]

    def _not_known(self) -> Bool:
        """Where the value of an expression is not known: refused, or beyond the bounds."""
        trouble = self.trouble
        return or_(*(g for g, _ in trouble.refused), *(g for g, _ in trouble.beyond))

    def _expression(self, node: ast.expr) -> list[Exit]:
        if isinstance(node, ast.Constant):
            return []
        self.evaluate(node)
        return []

    def _aliased(self, node: ast.expr, value: Value) -> None:
        """Names may share a list: none is ever changed, so that this is no matter."""

    def _augmented(self, node: ast.AugAssign) -> list[Exit]:
        if not isinstance(node.target, ast.Name):
            return self._refused("an augmented assignment to a place")
        old = self.lookup(node.target.id)
        for guard, each in alternatives(old):
            if isinstance(each, Bag | Table) or (isinstance(each, Seq) and each.kind == "list"):
                self.refuse("side effect (an augmented assignment to a container)", guard)
        self._bind(node.target.id, binary(self, node.op, old, self.evaluate(node.value)))
        return []

    def _branches(self, node: ast.If) -> list[Exit]:
        truth = self.truth(self.evaluate(node.test))
        raised = self._raised()
        path = remaining(self.path, [each.guard for each in raised])
        before = self.frame.names
        exits, ends = raised, []
        for guard, body in ((truth, node.body), (not_(truth), node.orelse)):
            self.path, self.frame.names = and_(path, guard), before
            exits += self.run(body)
            if self.path is not False:
                ends.append((guard, self.frame.names))
        self.path = path
        self.frame.names = joined(ends) if ends else before
        return exits

    def _for(self, node: ast.For) -> list[Exit]:
        iterable = self.evaluate(node.iter)
        exits = self._raised()
        path = remaining(self.path, [each.guard for each in exits])
        before = self.frame.names
        ends: list[tuple[Bool, Names]] = []
        for guard, value in alternatives(iterable):
            here = and_(path, guard)
            if here is False:
                continue
            self.path, self.frame.names = here, before
            exits += self._loop(node, value)
            if self._goes_on():
                ends.append((guard, self.frame.names))
        self.frame.names = joined(ends) if ends else before
        return exits

    def _loop(self, node: ast.For, value: Value) -> list[Exit]:
        order_matters(self, value)
        given = steps(self, value)
        exits = self._raised()
        if exits:
            self.path = remaining(self.path, [each.guard for each in exits])
            return exits
        broken: list[tuple[Bool, Names]] = []
        settled: tuple[Bool, int] | None = None
        for guard, each, trouble in given:
            self.take(trouble)
            if settled == (guard, id(each)):
                # The same element again, which changed nothing the last time.
                continue
            outer, names = self.path, self.frame.names
            self.path = and_(outer, guard)
            if self.path is False:
                self.path = outer
                continue
            self.assign(node.target, each)
            bound = self.frame.names
            left = self._pass(node.body, exits, broken)
            settled = (guard, id(each)) if _unchanged(bound, self.frame.names) else None
            self.path = remaining(outer, left)
            self.frame.names = joined([(guard, self.frame.names), (not_(guard), names)])
            if self.path is False:
                break
        return exits + self._after(node.orelse, broken)

    def _pass(
        self, body: list[ast.stmt], exits: list[Exit], broken: list[tuple[Bool, Names]]
    ) -> list[Bool]:
        """One iteration. Gives the guards of the paths that the loop does not go on with.

        ``continue`` joins the normal end.
        """
        left, goes_on = [], []
        known = self._not_known()
        exits_here = self.run(body)
        if (now := self._not_known()) is not known:
            left.append(now)
        for each in exits_here:
            if each.kind == "continue":
                goes_on.append((each.guard, each.names))
                continue
            left.append(each.guard)
            if each.kind == "break":
                broken.append((each.guard, each.names))
            else:
                exits.append(each)
        if goes_on:
            ends = [*goes_on, (self.path, self.frame.names)]
            self.frame.names = joined([end for end in ends if end[0] is not False])
        return left

    def _after(self, orelse: list[ast.stmt], broken: list[tuple[Bool, Names]]) -> list[Exit]:
        """The else of a loop, and the names where its end meets the breaks."""
        exits = self.run(orelse) if orelse and self.path is not False else []
        ends = [*broken]
        if self.path is not False:
            ends.append((self.path, self.frame.names))
        self.path = or_(*(guard for guard, _ in ends))
        if ends:
            self.frame.names = joined(ends)
        return exits

    def _while(self, node: ast.While) -> list[Exit]:
        exits: list[Exit] = []
        broken: list[tuple[Bool, Names]] = []
        ended: list[tuple[Bool, Names]] = []
        for _ in range(self.limits.steps):
            truth = self.truth(self.evaluate(node.test))
            exits += (raised := self._raised())
            path = remaining(self.path, [each.guard for each in raised])
            done = and_(path, not_(truth))
            if done is not False:
                ended.append((done, self.frame.names))
            self.path = and_(path, truth)
            if self.path is False:
                break
            outer = self.path
            left = self._pass(node.body, exits, broken)
            self.path = remaining(outer, left)
            if self.path is False:
                break
        else:
            self.beyond("a loop too long")
        self.path = or_(*(guard for guard, _ in ended))
        if ended:
            self.frame.names = joined(ended)
        return exits + self._after(node.orelse, broken)

    def run_body(self, node: ast.FunctionDef) -> Value:
        """What a function's body returns."""
        outer, raised_before = self.path, self.trouble.raised
        self.trouble.raised = []
        exits = self.run(node.body)
        rows: list[tuple[Bool, Value]] = []
        if self.path is not False:
            rows.append((self.path, None))
        self.path = outer
        self.trouble.raised = raised_before
        for each in exits:
            if each.kind == "return":
                rows.append((each.guard, each.value))
            elif each.asserted:
                self._escaped.append(each)
                # What follows is not reached.
                raised_before.append((each.guard, AssertionError))
            else:
                assert each.raised is not None
                raised_before.append((each.guard, each.raised))
        return self.join(rows)

    def _raise(self, node: ast.Raise) -> list[Exit]:
        if node.exc is None:
            return self._refused("raise without an exception")
        name = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
        kind = self.evaluate(name)
        if isinstance(node.exc, ast.Call):
            for each in node.exc.args:
                self.evaluate(each)
        if not isinstance(kind, type) or not issubclass(kind, BaseException):
            return self._refused("raise of such a value")
        return [Exit("raise", self._exit("raise").guard, self.frame.names, raised=kind)]

    def _try(self, node: ast.Try) -> list[Exit]:
        if node.finalbody:
            return self._refused("finally")
        path = self.path
        exits: list[Exit] = []
        ends: list[tuple[Bool, Names]] = []
        tried = self.run(node.body)
        if self.path is not False:
            exits += self.run(node.orelse)
            ends.append((self.path, self.frame.names))
        for each in tried:
            # Also which exceptions a handler names is asked where this one was raised.
            self.path, self.frame.names = each.guard, each.names
            handler = self._handler(node, each) if each.kind == "raise" else None
            if handler is None:
                exits.append(each)
                continue
            if handler.name is not None:
                self._bind(handler.name, Opaque("an exception"))
            exits += self.run(handler.body)
            if self.path is not False:
                ends.append((self.path, self.frame.names))
        self.path = path
        if ends:
            self.frame.names = joined([end for end in ends if end[0] is not False])
        return exits

    def _handler(self, node: ast.Try, each: Exit) -> ast.ExceptHandler | None:
        assert each.raised is not None
        for handler in node.handlers:
            if handler.type is None:
                return handler
            found = self.evaluate(handler.type)
            kinds = [v for _, v in found.items] if isinstance(found, Seq) else [found]
            if any(isinstance(kind, type) and issubclass(each.raised, kind) for kind in kinds):
                return handler
        return None

    def _import(self, node: ast.Import | ast.ImportFrom) -> list[Exit]:
        if isinstance(node, ast.ImportFrom):
            return self._refused(f"import from {node.module}")
        for each in node.names:
            if each.name not in ("math", "re"):
                return self._refused(f"import of {each.name}")
            self._bind(each.asname or each.name, Module(each.name))
        return []


def _unchanged(before: Names, after: Names) -> bool:
    return before is after or (
        len(before) == len(after) and all(after[name] is value for name, value in before.items())
    )
