"""Where the values of a program's variables come from (CodeBLEU, Ren et al. 2020, §3.3).

A variable is a name that is used or bound, called functions included; attributes and literals are none.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping

Place = tuple[int, int]
"""Line and column of a name."""
Flow = tuple[str, str, tuple[str, ...]]
"""A variable, how its value comes about (``comesFrom`` or ``computedFrom``), and the variables that it is from."""
States = dict[str, set[Place]]
"""By variable: where its value was bound, or first used."""


def data_flow(tree: ast.Module) -> list[Flow]:
    """The data-flow items of a program in order of the source, its variables renamed ``var_0``, … as they appear.

    An item is one place of a variable: a use ``comesFrom`` the places where its value was bound, or else from its first
    use; a binding is ``computedFrom`` the variables of its value. A place that no value comes to or goes from is none.
    """
    reader = _Reader()
    reader.visit(tree)
    linked = {place for item in reader.items.values() for place in item.sources}
    linked |= {place for place, item in reader.items.items() if item.sources}
    names: dict[str, str] = {}
    found = []
    for place in sorted(linked):
        item = reader.items[place]
        sources = list(dict.fromkeys(item.sources[each] for each in sorted(item.sources)))
        for name in (*sources, item.name):
            names.setdefault(name, f"var_{len(names)}")
        found.append((names[item.name], item.relation, tuple(names[each] for each in sources)))
    return found


class _Item:
    def __init__(self, name: str, relation: str) -> None:
        self.name = name
        self.relation = relation
        self.sources: dict[Place, str] = {}


class _Reader:
    """Visits in the order of evaluation; loops twice, since what they bind is used in the next round."""

    def __init__(self) -> None:
        self.items: dict[Place, _Item] = {}
        self.states: States = {}
        self.looping = False
        """Whether what is visited is within a loop, which sees to the second round."""

    def visit(self, node: ast.AST) -> None:
        match node:
            case ast.Name():
                self._name(node)
            case ast.arg():
                self._bind(node.arg, _place(node), {})
            case ast.Assign():
                for target in node.targets:
                    self._assign(target, node.value)
            case ast.AugAssign():
                self._assign(node.target, node.value, itself=True)
            case ast.AnnAssign() | ast.NamedExpr():
                self._assign(node.target, node.value)
            case ast.For() | ast.AsyncFor() | ast.While():
                self._loop(node)
            case ast.If():
                self._branch(node)
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                self._bind(node.name, _place(node), {})
                self._parts(node)
            case ast.comprehension():
                self._assign(node.target, node.iter)
                self._all(node.ifs)
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp():
                # What is generated first stands last.
                self._all(sorted(ast.iter_child_nodes(node), key=_is_value))
            case _:
                self._parts(node)

    def _parts(self, node: ast.AST) -> None:
        self._all(sorted(ast.iter_child_nodes(node), key=_place))

    def _name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Store):
            self._bind(node.id, _place(node), {})
            return
        item = self.items.setdefault(_place(node), _Item(node.id, "comesFrom"))
        if node.id in self.states:
            item.sources |= dict.fromkeys(self.states[node.id] - {_place(node)}, node.id)
        else:
            self.states[node.id] = {_place(node)}

    def _loop(self, node: ast.For | ast.AsyncFor | ast.While) -> None:
        outermost, self.looping = not self.looping, True
        for _ in range(2 if outermost else 1):
            if isinstance(node, ast.While):
                self.visit(node.test)
            else:
                self._assign(node.target, node.iter)
            self._all(node.body)
        self.looping = not outermost
        self._all(node.orelse)

    def _branch(self, node: ast.If) -> None:
        self.visit(node.test)
        before = dict(self.states)
        self._all(node.body)
        after, self.states = self.states, before
        self._all(node.orelse)
        for name, places in after.items():
            self.states[name] = self.states.get(name, set()) | places

    def _all(self, nodes: Iterable[ast.AST]) -> None:
        for node in nodes:
            self.visit(node)

    def _assign(self, target: ast.expr, value: ast.expr | None, *, itself: bool = False) -> None:
        """Bind what is in ``target`` to ``value``, and with ``itself`` to what it was before, too."""
        if value is None:
            return
        self.visit(value)
        for one, other in _pairs(target, value):
            sources = {_place(n): n.id for n in ast.walk(other) if isinstance(n, ast.Name)}
            for node in ast.walk(one):
                if not isinstance(node, ast.Name):
                    continue
                if isinstance(node.ctx, ast.Store):
                    own = self.states.get(node.id, set()) - {_place(node)} if itself else set()
                    self._bind(node.id, _place(node), sources | dict.fromkeys(own, node.id))
                else:
                    self._name(node)

    def _bind(self, name: str, place: Place, sources: Mapping[Place, str]) -> None:
        relation = "computedFrom" if sources else "comesFrom"
        self.items.setdefault(place, _Item(name, relation)).sources |= sources
        self.states[name] = {place}


def _pairs(target: ast.expr, value: ast.expr) -> list[tuple[ast.expr, ast.expr]]:
    """Targets and their values one by one, where the source has them so."""
    if (
        isinstance(target, ast.Tuple | ast.List)
        and isinstance(value, ast.Tuple | ast.List)
        and len(target.elts) == len(value.elts)
        and not any(isinstance(each, ast.Starred) for each in (*target.elts, *value.elts))
    ):
        return list(zip(target.elts, value.elts, strict=True))
    return [(target, value)]


def _is_value(node: ast.AST) -> bool:
    return isinstance(node, ast.expr)


def _place(node: ast.AST) -> Place:
    return getattr(node, "lineno", 0), getattr(node, "col_offset", 0)
