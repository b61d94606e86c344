"""Calls: of Python's own functions, of methods, and of the functions of the contract."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from solexp.violations.python.calls import Builtin, Frame, Function, Method, Module
from solexp.violations.python.comprehensions import Comprehending
from solexp.violations.python.functions import NAMES, call_builtin
from solexp.violations.python.methods import call_method
from solexp.violations.python.modules import call_module
from solexp.violations.python.values import (
    NOTHING,
    Opaque,
    Value,
)


class Calling(Comprehending):
    """Calls values."""

    def call(self, function: Value, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
        return self.lift(lambda each: self._call(each, tuple(args), dict(kwargs)), function)

    def _call(self, function: Value, given: tuple[Value, ...], keywords: dict[str, Value]) -> Value:  # noqa: PLR0911
        if isinstance(function, Function):
            return self.call_function(function, given, keywords)
        if isinstance(function, Method):
            return call_method(self, function, given, keywords)
        if isinstance(function, Builtin):
            if "." in function.name:
                return call_module(self, function.name, given, keywords)
            return call_builtin(self, function.name, given, keywords)
        if isinstance(function, type) and function.__name__ in NAMES:
            return call_builtin(self, function.__name__, given, keywords)
        if isinstance(function, type):
            return self.refuse(f"call of {function.__name__}")
        if isinstance(function, Module | Opaque):
            return self.refuse(f"call of {function.name}")
        return self.fail(TypeError)

    def call_function(
        self, function: Function, given: tuple[Value, ...], keywords: dict[str, Value]
    ) -> Value:
        """What a function of the contract returns."""
        if self.calls >= self.limits.calls:
            return self.beyond("calls nested too deeply")
        names = self._parameters(function, given, keywords)
        if names is None:
            return NOTHING
        outer, self.frame = self.frame, Frame(names, function.frame)
        self.calls += 1
        try:
            if isinstance(function.node, ast.Lambda):
                return self.evaluate(function.node.body)
            return self.run_body(function.node)
        finally:
            self.calls -= 1
            self.frame = outer

    def run_body(self, node: ast.FunctionDef) -> Value:
        """What a function's body returns."""
        return self.refuse(f"a call of {node.name}")

    def _parameters(
        self, function: Function, given: tuple[Value, ...], keywords: dict[str, Value]
    ) -> dict[str, Value] | None:
        spec = function.node.args
        if spec.vararg or spec.kwarg or spec.kwonlyargs:
            self.refuse("a function with such parameters")
            return None
        expected = [each.arg for each in [*spec.posonlyargs, *spec.args]]
        if len(given) > len(expected) or set(keywords) - set(expected[len(given) :]):
            self.fail(TypeError)
            return None
        names = dict(zip(expected, given, strict=False)) | keywords
        required = len(expected) - len(function.defaults)
        for name, default in zip(expected[required:], function.defaults, strict=True):
            names.setdefault(name, default)
        if len(names) < len(expected):
            self.fail(TypeError)
            return None
        return names
