"""Reading functions of a contract: guards and writes, through modifiers and internal calls.

A function is run through once with names for what is not known. Locals and parameters of what it calls are replaced by
what they stand for, so that all is said in terms of state variables, ``msg``, ``block`` and the function's own
parameters. Loops are read once, as something that may happen; what other contracts do is not known.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from solexp.dcr.expressions import Expression
from solexp.dcr.extraction.behaviour import Behaviour, Write
from solexp.dcr.extraction.calls import Calls
from solexp.dcr.extraction.terms import (
    UNKNOWN,
    atoms,
    bounded,
    family,
    joined,
    known,
    opposite,
    related,
)
from solexp.violations.solidity.functions import payable
from solexp.violations.solidity.unit import Node, Unit, kind_of

_LOOPS = {"ForStatement", "WhileStatement", "DoWhileStatement"}


def read_function(unit: Unit, contract: Node, function: Node) -> Behaviour:
    """What a public function of a contract demands and does."""
    run = Reading(unit, contract)
    declared = function["parameters"]["parameters"]
    for parameter in declared:
        run.locals[parameter["id"]] = Expression("name", parameter["name"] or "?")
    run.function(function)
    kind = kind_of(function)
    return Behaviour(
        name=function["name"] or kind,
        signature=unit.signature(function) if kind == "function" else f"{kind}()",
        parameters={
            each["name"]: each["typeDescriptions"].get("typeString") or ""
            for each in declared
            if each["name"]
        },
        payable=payable(function),
        pays=run.pays,
        guards=tuple(dict.fromkeys(atom for guard in run.guards for atom in atoms(guard))),
        needs=_needs(run.writes),
        writes=_last(run.writes),
    )


def _needs(writes: Sequence[Write]) -> tuple[Expression, ...]:
    """The conditions that all writes are under."""
    under = [
        [atom for atom in atoms(each.when) if known(atom)] if each.when is not None else []
        for each in writes
    ]
    shared = under[0] if under else []
    return tuple(atom for atom in dict.fromkeys(shared) if all(atom in each for each in under))


def read_construction(unit: Unit, contract: Node) -> tuple[Write, ...]:
    """What a deployment stores, from the most basic contract to the most derived."""
    run = Reading(unit, contract)
    lineage = unit.lineage(contract)
    given = _given(lineage)
    for base in reversed(lineage):
        for node in base["nodes"]:
            if node["nodeType"] == "VariableDeclaration" and node.get("value") is not None:
                run.store(Expression("name", node["name"]), run.value(node["value"]))
        for node in base["nodes"]:
            if node["nodeType"] == "FunctionDefinition" and kind_of(node) == "constructor":
                arguments = given.get(base["id"], ())
                for place, parameter in enumerate(node["parameters"]["parameters"]):
                    run.locals[parameter["id"]] = (
                        run.value(arguments[place])
                        if place < len(arguments)
                        else Expression("name", f"constructor {parameter['name']}")
                    )
                run.function(node)
    return _last(run.writes)


def _given(lineage: Sequence[Node]) -> dict[int, Sequence[Node]]:
    """Arguments of base constructors, by contract."""
    found: dict[int, Sequence[Node]] = {}
    for contract in lineage:
        for base in contract.get("baseContracts", ()):
            if base.get("arguments"):
                found[base["baseName"]["referencedDeclaration"]] = base["arguments"]
        for node in contract["nodes"]:
            if node["nodeType"] == "FunctionDefinition":
                for used in node.get("modifiers") or ():
                    named = used["modifierName"].get("referencedDeclaration")
                    if used.get("arguments") and named in {each["id"] for each in lineage}:
                        found[named] = used["arguments"]
    return found


def _last(writes: Sequence[Write]) -> tuple[Write, ...]:
    """Without what is overwritten whenever it is written."""
    kept: list[Write] = []
    for write in writes:
        if write.when is None and write.how == "set" and not write.keyed:
            kept = [each for each in kept if each.place != write.place]
        kept.append(write)
    return tuple(kept)


class Reading(Calls):
    """A run through functions of a contract."""

    # Functions

    def function(self, function: Node) -> Expression:
        """Runs a function, its parameters bound; returns what it returns, if that is known."""
        modifiers = []
        for used in function.get("modifiers") or ():
            found = self.unit.declarations.get(
                used["modifierName"].get("referencedDeclaration", -1)
            )
            if found is not None and found["nodeType"] == "ModifierDefinition":
                modifiers.append((self.unit.resolve(found, self.lineage), used.get("arguments")))
        named = function.get("returnParameters", {}).get("parameters", ())
        for returned in named:
            self.locals[returned["id"]] = self.default(returned)
        with self.frame() as returns:
            ended = self._modified(function, modifiers)
            if ended is None and named and all(each["name"] for each in named):
                values = tuple(self.locals[each["id"]] for each in named)
                several = Expression("list", "(", values)
                returns.append((None, values[0] if len(values) == 1 else several))
            return _returned(returns)

    def _modified(
        self, function: Node, modifiers: Sequence[tuple[Node, Sequence[Node] | None]]
    ) -> str | None:
        if not modifiers:
            path = list(self.path)
            ended = self.statement(function["body"]) if function.get("body") is not None else None
            # What a conditional return left behind does not bind the modifier around it.
            self.path = path
            return ended
        (modifier, arguments), *inner = modifiers
        declared = modifier["parameters"]["parameters"]
        for parameter, argument in zip(declared, arguments or (), strict=False):
            self.locals[parameter["id"]] = self.value(argument)
        ends: list[str | None] = []
        around, self.body = self.body, lambda: ends.append(self._modified(function, inner))
        self.statement(modifier["body"])
        self.body = around
        return ends[-1] if ends else None

    @contextmanager
    def frame(self) -> Iterator[list[tuple[Expression | None, Expression]]]:
        """A function's own returns; the conditions of its conditional ones end with it."""
        outer, self.returns = self.returns, []
        path, base = list(self.path), self.base
        self.base = len(path)
        try:
            yield self.returns
        finally:
            self.returns, self.path, self.base = outer, path, base

    # Statements: each tells whether it ends the function, by reverting or returning.

    def statement(self, node: Node) -> str | None:  # noqa: PLR0912
        kind = node["nodeType"]
        if kind in ("Block", "UncheckedBlock"):
            outer, self.unchecked = self.unchecked, self.unchecked or kind == "UncheckedBlock"
            try:
                for each in node.get("statements") or ():
                    ended = self.statement(each)
                    if ended:
                        return ended
            finally:
                self.unchecked = outer
        elif kind == "ExpressionStatement":
            value = self.value(node["expression"])
            if value.kind == "call" and value.parts[0] == Expression("name", "revert"):
                return "revert"
        elif kind in ("Throw", "RevertStatement"):
            return "revert"
        elif kind == "Return":
            value = self.value(node["expression"]) if node.get("expression") else UNKNOWN
            # That it was not returned before goes without saying.
            path = [p for p in self.path[self.base :] if not any(p is q for q in self.passed)]
            self.returns.append((joined(path), value))
            return "return"
        elif kind == "VariableDeclarationStatement":
            self._declared(node)
        elif kind == "IfStatement":
            return self._if(node)
        elif kind in _LOOPS or kind == "TryStatement":
            self._maybe(node)
        elif kind == "PlaceholderStatement":
            body, outer_returns = self.body, self.returns
            if body is not None:
                body()
            self.body, self.returns = body, outer_returns
        return None

    def _declared(self, node: Node) -> None:
        declared = node["declarations"]
        initial = node.get("initialValue")
        value = self.value(initial) if initial is not None else None
        if len(declared) == 1 and declared[0] is not None:
            self.locals[declared[0]["id"]] = (
                value if value is not None else self.default(declared[0])
            )
            return
        parts = value.parts if value is not None and value.kind == "list" else ()
        for place, each in enumerate(declared):
            if each is not None:
                self.locals[each["id"]] = parts[place] if place < len(parts) else UNKNOWN

    def _if(self, node: Node) -> str | None:
        asked = self.value(node["condition"])
        before = self.branch()
        first = self._branch(node["trueBody"], asked)
        after_first = self.branch()
        self.enter(before)
        second = None
        if node.get("falseBody") is not None:
            second = self._branch(node["falseBody"], opposite(asked))
        after_second = self.branch()
        if first == "revert" and second == "revert":
            return "revert"
        if first == "revert":
            self.enter(after_second)
            self.demand(opposite(asked))
            return second
        if second == "revert":
            self.enter(after_first)
            self.demand(asked)
            return first
        self.merge(asked, after_first, after_second)
        if first and second:
            return "return"
        if first:
            self.enter(after_second)
            self.path.append(opposite(asked))
            self.passed.append(self.path[-1])
        elif second:
            self.enter(after_first)
            self.path.append(Expression(asked.kind, asked.text, asked.parts))
            self.passed.append(self.path[-1])
        return None

    def _branch(self, node: Node, asked: Expression) -> str | None:
        guards, writes = len(self.guards), len(self.writes)
        self.path.append(asked)
        depth = len(self.path)
        ended = self.statement(node)
        del self.path[depth - 1 :]
        if ended == "revert":
            # Nothing of it lasts.
            del self.guards[guards:], self.writes[writes:]
        return ended

    def _maybe(self, node: Node) -> None:
        """Something that is run any number of times, or perhaps not."""
        before = self.branch()
        self.path.append(UNKNOWN)
        depth = len(self.path)
        for part in ("initializationExpression", "externalCall"):
            if node.get(part) is not None:
                self._either(node[part])
        # What the body changes is not known in its first round either.
        for changed in self.changed_in(node):
            self.locals[changed] = UNKNOWN
        for part in ("condition", "body", "loopExpression"):
            if node.get(part) is not None:
                self._either(node[part])
        for clause in node.get("clauses") or ():
            if clause.get("block") is not None:
                self._either(clause["block"])
        del self.path[depth - 1 :]
        self.merge(UNKNOWN, self.branch(), before)

    def _either(self, node: Node) -> None:
        if node["nodeType"].endswith(("Statement", "Block")):
            path = list(self.path)
            self.statement(node)
            self.path = path
        else:
            self.value(node)

    # Guards

    def demand(self, asked: Expression) -> None:
        """The call goes on only where a condition holds."""
        if not known(asked) or any(not known(each) for each in self.path):
            return
        for atom in atoms(asked):
            if any(self.written(place) for place in self.places(atom)):
                # It is asked of what the call itself stored.
                continue
            path = joined(self.path)
            either = atom if path is None else joined((opposite(path), atom), "||")
            if either is not None:
                self.guards.append(either)

    def written(self, place: Expression) -> bool:
        """Whether this call has stored something there, or perhaps there; variables without keys are followed."""
        at = family(place)
        return at is not None and any(
            each.keyed and related(each.family, at) for each in self.writes
        )


def _returned(returns: Sequence[tuple[Expression | None, Expression]]) -> Expression:
    """What comes of several returns, each under its condition, the last in all other cases."""
    if not returns:
        return UNKNOWN
    found = returns[-1][1]
    for asked, value in reversed(returns[:-1]):
        if asked is None or not known(asked):
            return UNKNOWN
        found = bounded(Expression("choice", "?", (asked, value, found)))
    return found
