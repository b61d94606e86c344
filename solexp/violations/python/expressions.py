"""Expressions of Python, evaluated symbolically (ContractEval, §3, has a language model translate them)."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Mapping
from typing import Any

from solexp.violations.python import comparing
from solexp.violations.python.arith import floor, less
from solexp.violations.python.arithmetic import binary
from solexp.violations.python.calling import Calling
from solexp.violations.python.calls import Builtin, Frame, Function, Method, Module
from solexp.violations.python.evaluation import Limits
from solexp.violations.python.functions import (
    NAMES,
    call_builtin,
    unpacked,
)
from solexp.violations.python.logic import and_, not_
from solexp.violations.python.methods import attribute
from solexp.violations.python.modules import CONSTANTS
from solexp.violations.python.paths import UNBOUND
from solexp.violations.python.rounding import square_root_floor, unary
from solexp.violations.python.sequences import (
    distinct,
    sliced,
    subscript,
    table_of,
)
from solexp.violations.python.terms import Bool
from solexp.violations.python.values import (
    NOTHING,
    Opaque,
    SFloat,
    SInt,
    Stream,
    Value,
    alternatives,
    boolean,
    characters,
    int_term,
    integer,
    is_number,
    sequence,
    text_of,
)

_MODULES = ("math", "re")
_TYPES = (
    bool,
    int,
    float,
    str,
    list,
    tuple,
    set,
    frozenset,
    dict,
    type,
    range,
    complex,
    bytes,
    object,
)
_ERRORS = tuple(
    each
    for each in vars(builtins).values()
    if isinstance(each, type) and issubclass(each, BaseException)
)
_KNOWN_TYPES = {each.__name__: each for each in (*_TYPES, *_ERRORS)}


class Interpreter(Calling):
    """Evaluates expressions in a frame of names."""

    def __init__(self, limits: Limits, names: Mapping[str, Value]) -> None:
        super().__init__(limits)
        self.frame = Frame(dict(names), None)

    def evaluate(self, node: ast.expr) -> Value:
        """The value of an expression on the path, as far as it does not raise."""
        if self.path is False:
            return NOTHING
        self.looked(1)
        step = _STEPS.get(type(node))
        if step is None:
            return self.refuse(type(node).__name__)
        return step(self, node)

    # Names and constants

    def _constant(self, node: ast.Constant) -> Value:
        if node.value is None or isinstance(node.value, bool | int | float | str):
            return node.value
        return self.refuse(f"a {type(node.value).__name__} constant")

    def _name(self, node: ast.Name) -> Value:
        return self.lookup(node.id)

    def lookup(self, name: str) -> Value:
        """The value of a name; NameError where it has none."""
        frame: Frame | None = self.frame
        while frame is not None:
            if name in frame.names:
                return self._bound(frame.names[name])
            frame = frame.outer
        if name in _KNOWN_TYPES:
            return _KNOWN_TYPES[name]
        if name in NAMES:
            return Builtin(name)
        if name in _MODULES:
            return Module(name)
        return self.refuse(f"name {name}")

    def _bound(self, value: Value) -> Value:
        rows = alternatives(value)
        if not any(each is UNBOUND for _, each in rows):
            return value
        for guard, each in rows:
            if each is UNBOUND:
                self.fail(UnboundLocalError, guard)
        return self.join([(guard, each) for guard, each in rows if each is not UNBOUND])

    # Operators

    def _boolean(self, node: ast.BoolOp) -> Value:
        found = self.evaluate(node.values[0])
        for each in node.values[1:]:
            truth = self.truth(found)
            goes_on = truth if isinstance(node.op, ast.And) else not_(truth)
            with self.under(goes_on) as possible:
                following = self.evaluate(each) if possible else NOTHING
            found = self.join([(goes_on, following), (not_(goes_on), found)])
        return found

    def _binary(self, node: ast.BinOp) -> Value:
        left = self.evaluate(node.left)
        return binary(self, node.op, left, self.evaluate(node.right))

    def _unary(self, node: ast.UnaryOp) -> Value:
        return unary(self, node.op, self.evaluate(node.operand))

    def _compare(self, node: ast.Compare) -> Value:
        left = self.evaluate(node.left)
        found: Value = True
        goes_on: Bool = True
        for op, comparator in zip(node.ops, node.comparators, strict=True):
            with self.under(goes_on) as possible:
                if not possible:
                    break
                right = self.evaluate(comparator)
                here = self.compared(op, left, right)
            found = self.join([(goes_on, here), (not_(goes_on), found)])
            goes_on = and_(goes_on, self.truth(here))
            left = right
        return found

    def compared(self, op: ast.cmpop, a: Value, b: Value) -> Value:  # noqa: PLR0911
        """``a op b`` of one comparison."""
        match op:
            case ast.Eq():
                return boolean(comparing.equal(self, a, b))
            case ast.NotEq():
                return boolean(not_(comparing.equal(self, a, b)))
            case ast.Lt():
                return comparing.less(self, a, b)
            case ast.Gt():
                return comparing.less(self, b, a)
            case ast.LtE():
                return comparing.at_most(self, a, b)
            case ast.GtE():
                return comparing.at_most(self, b, a)
            case ast.In():
                return comparing.contains(self, a, b)
            case ast.NotIn():
                return boolean(not_(self.truth(comparing.contains(self, a, b))))
            case ast.Is():
                return comparing.identical(self, a, b)
        return boolean(not_(self.truth(comparing.identical(self, a, b))))

    def _if(self, node: ast.IfExp) -> Value:
        truth = self.truth(self.evaluate(node.test))
        rows = []
        for guard, each in ((truth, node.body), (not_(truth), node.orelse)):
            with self.under(guard) as possible:
                rows.append((guard, self.evaluate(each) if possible else NOTHING))
        return self.join(rows)

    # Displays and comprehensions

    def _display(self, node: ast.List | ast.Tuple | ast.Set) -> Value:
        items: list[tuple[Bool, Value]] = []
        for each in node.elts:
            if isinstance(each, ast.Starred):
                return self.refuse("a starred element")
            items.append((True, self.evaluate(each)))
        if isinstance(node, ast.Set):
            return distinct(self, items)
        return sequence("list" if isinstance(node, ast.List) else "tuple", items, prefix=True)

    def _dict(self, node: ast.Dict) -> Value:
        rows = []
        for key, value in zip(node.keys, node.values, strict=True):
            if key is None:
                return self.refuse("an unpacked dict")
            rows.append((True, self.evaluate(key), self.evaluate(value)))
        return table_of(self, rows)

    # Places

    def _subscript(self, node: ast.Subscript) -> Value:
        value = self.evaluate(node.value)
        if isinstance(node.slice, ast.Slice):
            parts = (node.slice.lower, node.slice.upper, node.slice.step)
            given = [None if part is None else self.evaluate(part) for part in parts]
            return sliced(self, value, *given)
        return subscript(self, value, self.evaluate(node.slice))

    def _attribute(self, node: ast.Attribute) -> Value:
        value = self.evaluate(node.value)
        return self.lift(lambda each: self._attribute_of(each, node.attr), value)

    def _attribute_of(self, value: Value, name: str) -> Value:
        if isinstance(value, Module):
            if value.name == "math" and name in CONSTANTS:
                return CONSTANTS[name]
            return Builtin(f"{value.name}.{name}")
        if isinstance(value, Function | Builtin | Method | Opaque | Stream):
            return self.refuse(f"attribute {name}")
        return attribute(self, value, name)

    # Calls

    def _called(self, node: ast.Call) -> Value:
        root = self._integer_root(node)
        if root is not None:
            return root
        function = self.evaluate(node.func)
        given = []
        for each in node.args:
            if isinstance(each, ast.Starred):
                return self.refuse("a starred argument")
            given.append(self.evaluate(each))
        keywords = {}
        for keyword in node.keywords:
            if keyword.arg is None:
                return self.refuse("unpacked keywords")
            keywords[keyword.arg] = self.evaluate(keyword.value)
        return self.call(function, given, keywords)

    def _integer_root(self, node: ast.Call) -> Value | None:
        """``int(x ** 0.5)``, ``int(math.sqrt(x))`` and ``math.isqrt(x)`` of an unknown int; None for anything else."""
        inner = _root_of(node)
        if inner is None:
            return None
        value = self.evaluate(inner)
        if not any(isinstance(each, SInt | SFloat) for _, each in alternatives(value)):
            return None

        def root(each: Value) -> Value:
            if isinstance(each, bool | int | float):
                found = binary(self, ast.Pow(), each, 0.5)
                return call_builtin(self, "int", (found,), {})
            if not is_number(each):
                return self.fail(TypeError)
            if isinstance(each, SFloat) and each.grid is None:
                return self.refuse("a square root of a float that may have been rounded")
            term = floor(each.term) if isinstance(each, SFloat) else int_term(each)
            # The root of a negative number is complex, or an error.
            self.fail(TypeError, less(term, 0))
            return integer(square_root_floor(self, term, highest=self.limits.steps))

        return self.lift(root, value)

    def _lambda(self, node: ast.Lambda) -> Value:
        return self.function(node)

    def function(self, node: ast.Lambda | ast.FunctionDef) -> Value:
        """The function that a lambda or def makes."""
        defaults = tuple(self.evaluate(each) for each in node.args.defaults)
        return Function(node, self.frame, defaults)

    def _formatted(self, node: ast.JoinedStr) -> Value:
        found: Value = ""
        for part in node.values:
            if isinstance(part, ast.Constant):
                piece: Value = part.value
            elif (
                isinstance(part, ast.FormattedValue)
                and part.format_spec is None
                and part.conversion < 0
            ):
                piece = call_builtin(self, "str", (self.evaluate(part.value),), {})
            else:
                return self.refuse("a format")
            found = self.lift(lambda a, b: text_of((*characters(a), *characters(b))), found, piece)
        return found

    def assign(self, target: ast.expr, value: Value) -> None:
        """Bind the names of a target."""
        if isinstance(target, ast.Name):
            self.frame.names = {**self.frame.names, target.id: value}
        elif isinstance(target, ast.Tuple | ast.List):
            if any(isinstance(each, ast.Starred) for each in target.elts):
                self.refuse("a starred target")
                return
            size = len(target.elts)
            rows = []
            for guard, each in alternatives(value):
                with self.under(guard) as possible:
                    if possible:
                        rows.append((guard, unpacked(self, each, size)))
            for place, each in enumerate(target.elts):
                self.assign(each, self.join([(guard, row[place]) for guard, row in rows]))
        else:
            self.refuse(f"assignment to a {type(target).__name__}")


def _root_of(node: ast.Call) -> ast.expr | None:
    if node.keywords or len(node.args) != 1:
        return None
    called, argument = ast.unparse(node.func), node.args[0]
    if called == "math.isqrt":
        return argument
    if called != "int":
        return None
    if isinstance(argument, ast.BinOp) and isinstance(argument.op, ast.Pow):
        exponent = argument.right
        return (
            argument.left if isinstance(exponent, ast.Constant) and exponent.value == 0.5 else None
        )
    if isinstance(argument, ast.Call) and ast.unparse(argument.func) == "math.sqrt":
        return argument.args[0] if len(argument.args) == 1 else None
    return None


_STEPS: dict[type[ast.expr], Any] = {
    ast.Constant: Interpreter._constant, ast.Name: Interpreter._name,
    ast.BoolOp: Interpreter._boolean, ast.BinOp: Interpreter._binary,
    ast.UnaryOp: Interpreter._unary, ast.Compare: Interpreter._compare, ast.IfExp: Interpreter._if,
    ast.List: Interpreter._display, ast.Tuple: Interpreter._display, ast.Set: Interpreter._display,
    ast.Dict: Interpreter._dict, ast.ListComp: Interpreter.comprehension,
    ast.SetComp: Interpreter.comprehension, ast.GeneratorExp: Interpreter.comprehension,
    ast.DictComp: Interpreter.dict_comprehension, ast.Subscript: Interpreter._subscript,
    ast.Attribute: Interpreter._attribute, ast.Call: Interpreter._called,
    ast.Lambda: Interpreter._lambda, ast.JoinedStr: Interpreter._formatted,
}  # fmt: skip
