"""Symbolic execution of statements, functions and modifiers."""

from __future__ import annotations

from typing import Any

from solexp.violations.solidity import terms
from solexp.violations.solidity.assembly import Assembly
from solexp.violations.solidity.calls import Around
from solexp.violations.solidity.context import Frame
from solexp.violations.solidity.faults import Unsupported
from solexp.violations.solidity.guards import Expected, Kind, Step
from solexp.violations.solidity.path import Path
from solexp.violations.solidity.unit import Node
from solexp.violations.solidity.values import Broken, Tuple


class Execution(Assembly):
    """Executes functions."""

    def run_function(self, function: Node, arguments: list[Any]) -> Any:
        """Runs a function's modifiers and body on these arguments; what it returns."""
        before = self.frame
        frame = self.new_frame(self.unit.contracts.get(self.unit.owner.get(function["id"], -1)))
        for declared, value in zip(function["parameters"]["parameters"], arguments, strict=True):
            kind = self.unit.type_of(declared)
            self.path.variables[frame.number, declared["id"]] = self._guarded_conversion(
                value, kind
            )
        for place, declared in enumerate(function["returnParameters"]["parameters"]):
            kind = self.unit.type_of(declared)
            at = frame.number, declared["id"]
            self.path.variables[at] = self.default(kind)
            frame.returns.append((at, kind))
            assert place + 1 == len(frame.returns)
        self._enter(function, frame, 0)
        self.frame = before
        found = [
            self.path.variables.get(at, Broken("what an endless path returns"))
            for at, _ in frame.returns
        ]
        for variable in [each for each in self.path.variables if each[0] == frame.number]:
            del self.path.variables[variable]
        return found[0] if len(found) == 1 else Tuple(tuple(found))

    def _guarded_conversion(self, value: Any, kind: Any) -> Any:
        if isinstance(value, Broken):
            return value
        try:
            return self.converted(value, kind)
        except Unsupported as fault:
            return Broken(str(fault).removeprefix("Unsupported: "))

    def _enter(self, function: Node, frame: Frame, place: int) -> None:
        """Runs the modifiers from ``place`` on, and the body within."""
        called = [each for each in function.get("modifiers", ()) if self._is_modifier(each)]
        if place == len(called):
            self.frame = frame
            self._run_body(function["body"], frame)
            return
        invocation = called[place]
        declared = self.unit.declarations[self._meant(invocation)]
        modifier = self.unit.resolve(declared, self.lineage)
        self.frame = frame
        given = [self.evaluate(each) for each in invocation.get("arguments") or ()]
        inner = self.new_frame(self.unit.contracts.get(self.unit.owner.get(modifier["id"], -1)))
        for parameter, value in zip(modifier["parameters"]["parameters"], given, strict=True):
            kind = self.unit.type_of(parameter)
            self.path.variables[inner.number, parameter["id"]] = self._guarded_conversion(
                value, kind
            )
        inner.rest = [function, frame, place + 1]
        self.frame = inner
        before = self.chain
        self.chain = (*before, self._step_to(modifier, invocation))
        self._run_body(modifier["body"], inner)
        self.chain = before
        self.frame = frame

    def _step_to(self, modifier: Node, invocation: Node) -> Any:
        place = self.unit.place(invocation)
        return Step(modifier["name"], place.path, place.start, place.line)

    def _is_modifier(self, invocation: Node) -> bool:
        found = self.unit.declarations.get(self._meant(invocation))
        return found is not None and found["nodeType"] == "ModifierDefinition"

    @staticmethod
    def _meant(invocation: Node) -> int:
        return int(invocation["modifierName"]["referencedDeclaration"])

    def _run_body(self, body: Node, frame: Frame) -> None:
        outer, frame.ended = frame.ended, []
        self.statement(body)
        frame.ended.append(self.path)
        joined = self.memory.join(frame.ended)
        if joined is not None:
            self.path = joined
        frame.ended = outer

    # Statements

    def statement(self, node: Node) -> None:
        """Executes a statement on the present path."""
        if self.path.dead:
            return
        self.step()
        method = getattr(self, f"_do_{node['nodeType']}", None)
        if method is None:
            self.lose(self.refuse(f"the statement {node['nodeType']}", node))
            return
        try:
            method(node)
        except Unsupported as fault:
            self.lose(self.refuse(fault, node))

    def _do_Block(self, node: Node) -> None:  # noqa: N802
        for each in node["statements"] or ():
            self.statement(each)

    def _do_UncheckedBlock(self, node: Node) -> None:  # noqa: N802
        before, self.frame.checked = self.frame.checked, False
        self._do_Block(node)
        self.frame.checked = before

    def _do_ExpressionStatement(self, node: Node) -> None:  # noqa: N802
        self.value(node["expression"])

    def _do_EmitStatement(self, node: Node) -> None:  # noqa: N802
        self.evaluate(node["eventCall"])

    def _do_VariableDeclarationStatement(self, node: Node) -> None:  # noqa: N802
        declared = node["declarations"]
        initial = node.get("initialValue")
        if initial is None:
            for each in declared:
                at = self.frame.number, each["id"]
                # Before 0.5 it is the same variable wherever it is declared, and keeps its value.
                if self.unit.version >= (0, 5, 0) or at not in self.path.variables:
                    self.path.variables[at] = self.default(self.unit.type_of(each))
            return
        value = self.evaluate(initial)
        if len(declared) == 1:
            self._declare(declared[0], value)
            return
        if isinstance(value, Broken):
            for each in declared:
                if each is not None:
                    self._declare(each, value)
            return
        assert isinstance(value, Tuple)
        for each, item in zip(declared, value.items, strict=False):
            if each is not None:
                self._declare(each, item)

    def _declare(self, declared: Node, value: Any) -> None:
        kind = self.unit.type_of(declared)
        self.path.variables[self.frame.number, declared["id"]] = self._guarded_conversion(
            value, kind
        )

    def _do_IfStatement(self, node: Node) -> None:  # noqa: N802
        condition = self.truth(self.evaluate(node["condition"]))
        before = self.path
        self.path = before.under(condition)
        alone = node.get("falseBody") is None
        self._shown = Around(node, before.condition, terms.not_(condition)) if alone else None
        self.statement(node["trueBody"])
        self._shown = None
        yes = self.path
        self.path = before.under(terms.not_(condition))
        if node.get("falseBody") is not None:
            self.statement(node["falseBody"])
        self.path = self.memory.merge(condition, yes, self.path)

    _shown: Around | None = None

    def around(self, node: Node) -> Around | None:
        """The ``if`` that does nothing but what ends here."""
        shown = self._shown
        if shown is None:
            return None
        body = shown.node["trueBody"]
        inner = body["statements"] if body["nodeType"] == "Block" else [body]
        if len(inner) != 1:
            return None
        only = inner[0]
        return shown if node in (only, only.get("expression"), only.get("errorCall")) else None

    def _do_RevertStatement(self, node: Node) -> None:  # noqa: N802
        shown = self._shown
        expected = self._error(node["errorCall"])
        self._shown = shown
        self.fail(Kind.ERROR, node, expected)

    def _do_Throw(self, node: Node) -> None:  # noqa: N802
        self.fail(Kind.REVERT, node, Expected(data="empty"))

    def _do_Return(self, node: Node) -> None:  # noqa: N802
        frame = self.frame
        if node.get("expression") is not None:
            value = self.evaluate(node["expression"])
            if len(frame.returns) == 1:
                at, kind = frame.returns[0]
                self.path.variables[at] = self._guarded_conversion(value, kind)
            elif isinstance(value, Broken):
                for at, _ in frame.returns:
                    self.path.variables[at] = value
            elif frame.returns:
                assert isinstance(value, Tuple)
                for (at, kind), item in zip(frame.returns, value.items, strict=True):
                    self.path.variables[at] = self._guarded_conversion(item, kind)
        frame.ended.append(self.path)
        self.path = self._nowhere()

    def _nowhere(self) -> Path:
        return self.path.under(terms.FALSE)

    def _do_PlaceholderStatement(self, node: Node) -> None:  # noqa: ARG002, N802
        inner = self.frame
        function, frame, place = inner.rest
        before = self.chain
        # What the function calls is called by it, not by the modifier around it.
        self.chain = before[:-1]
        self._enter(function, frame, place)
        self.chain = before
        self.frame = inner

    # Loops

    def _do_ForStatement(self, node: Node) -> None:  # noqa: N802
        if node.get("initializationExpression") is not None:
            self.statement(node["initializationExpression"])
        self._loop(node, node.get("condition"), node["body"], node.get("loopExpression"))

    def _do_WhileStatement(self, node: Node) -> None:  # noqa: N802
        self._loop(node, node["condition"], node["body"], None)

    def _do_DoWhileStatement(self, node: Node) -> None:  # noqa: N802
        self._loop(node, node["condition"], node["body"], None, first=True)

    def _loop(
        self,
        node: Node,
        condition: Node | None,
        body: Node,
        after: Node | None,
        *,
        first: bool = False,
    ) -> None:
        frame = self.frame
        outer = frame.broken, frame.continued
        left: list[Path] = []
        frame.broken = left
        rounds, known = 0, 0
        while not self.path.dead:
            if condition is not None and not (first and rounds + known == 0):
                goes_on = self.truth(self.evaluate(condition))
                left.append(self.path.under(terms.not_(goes_on)))
                self.path = self.path.under(goes_on)
                if self.path.dead:
                    break
                if goes_on.constant:
                    known += 1
                else:
                    rounds += 1
            else:
                known += 1
            if rounds > self.limits.rounds or known > self.limits.known_rounds:
                line = self.unit.place(node).line
                done = rounds + known - 1
                self.recorder.bound(self.path, terms.FALSE, f"loop at line {line}: {done} rounds")
                self.path = self._nowhere()
                break
            frame.continued = []
            self.statement(body)
            self.path = self.memory.join([*frame.continued, self.path]) or self.path
            if after is not None:
                self.statement(after)
        frame.broken, frame.continued = outer
        left.append(self.path)
        self.path = self.memory.join(left) or self.path

    def _do_Break(self, node: Node) -> None:  # noqa: ARG002, N802
        self.frame.broken.append(self.path)
        self.path = self._nowhere()

    def _do_Continue(self, node: Node) -> None:  # noqa: ARG002, N802
        self.frame.continued.append(self.path)
        self.path = self._nowhere()
