"""Comprehensions and generators: what each element contributes, and what happens when it is asked for."""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

from solexp.violations.python.calls import Frame
from solexp.violations.python.evaluation import Evaluation
from solexp.violations.python.logic import and_, or_
from solexp.violations.python.sequences import distinct, order_matters, steps, table_of, unordered
from solexp.violations.python.terms import Bool
from solexp.violations.python.values import (
    NOTHING,
    Seq,
    Stream,
    Trouble,
    Union,
    Value,
    alternatives,
    listed,
    sequence,
)


class Comprehending(Evaluation, ABC):
    """Evaluates comprehensions by means of what `Interpreter` adds: expressions, names and targets."""

    frame: Frame

    @abstractmethod
    def evaluate(self, node: ast.expr) -> Value:
        """The value of an expression."""

    @abstractmethod
    def assign(self, target: ast.expr, value: Value) -> None:
        """Bind the names of a target."""

    def comprehension(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp) -> Value:
        found = self._generated(node.generators, lambda: self.evaluate(node.elt))
        return self.lift(lambda stream: self._collected(node, stream), found)

    def _collected(self, node: ast.expr, stream: Stream) -> Value:
        if isinstance(node, ast.GeneratorExp):
            return stream
        for *_, trouble in stream.items:
            self.take(trouble)
        items = [(guard, value) for guard, value, _ in stream.items]
        if isinstance(node, ast.SetComp):
            return distinct(self, items)
        order_matters(self, stream)
        return sequence("list", items)

    def dict_comprehension(self, node: ast.DictComp) -> Value:
        def pair() -> Value:
            return listed([self.evaluate(node.key), self.evaluate(node.value)], "tuple")

        def made(stream: Stream) -> Value:
            for *_, trouble in stream.items:
                self.take(trouble)
            rows = [row for row in stream.items if row[0] is not False]
            return table_of(self, [(g, p.items[0][1], p.items[1][1]) for g, p, _ in rows])

        return self.lift(made, self._generated(node.generators, pair))

    def _generated(
        self, generators: list[ast.comprehension], element: Callable[[], Value]
    ) -> Value:
        """A stream for each alternative of the first iterable; what raises is kept with its element."""
        first = self.evaluate(generators[0].iter)
        if any(each.is_async for each in generators):
            return self.refuse("an asynchronous comprehension")
        outer = self.frame
        self.frame = Frame({}, outer)
        try:
            return self._streams(first, generators, element)
        finally:
            self.frame = outer

    def _streams(
        self, iterable: Value, generators: list[ast.comprehension], element: Callable[[], Value]
    ) -> Value:
        return self.lift(lambda value: self._stream(value, generators, element), _shared(iterable))

    def _stream(
        self, value: Value, generators: list[ast.comprehension], element: Callable[[], Value]
    ) -> Value:
        rows: list[tuple[Bool, Value, Trouble]] = []
        here, rest = generators[0], generators[1:]
        with self.aside() as outright:
            given = steps(self, value)
        if outright:
            self.take(outright)
            return NOTHING
        seen: dict[Any, Any] = {}
        loose = unordered(value)
        for guard, each, before in given:
            key = (guard, id(each))
            if key not in seen:
                seen[key] = self._element(guard, each, before, here, rest, element)
            own, inner_loose = seen[key]
            rows += own
            loose = loose or inner_loose
        return Stream(rows, loose=loose)

    def _element(  # noqa: PLR0917
        self,
        guard: Bool,
        value: Value,
        before: Trouble,
        here: ast.comprehension,
        rest: list[ast.comprehension],
        element: Callable[[], Value],
    ) -> tuple[list[tuple[Bool, Value, Trouble]], bool]:
        """What one element of an iterable contributes."""
        with self.under(guard) as possible, self.aside() as trouble:
            if not possible:
                return [], False
            self.take(before)
            self.assign(here.target, value)
            kept = guard
            path = self.path
            try:
                for test in here.ifs:
                    truth = self.truth(self.evaluate(test))
                    kept = and_(kept, truth)
                    self.path = and_(self.path, truth)
                if self.path is False:
                    return [(False, None, trouble)], False
                if not rest:
                    return [(kept, element(), trouble)], False
                inner = self._streams(self.evaluate(rest[0].iter), rest, element)
            finally:
                self.path = path
        rows: list[tuple[Bool, Value, Trouble]] = [(False, None, trouble)]
        loose = False
        for own, stream in alternatives(inner):
            loose = loose or stream.loose
            rows += [(and_(kept, own, each), value, t) for each, value, t in stream.items]
        return rows, loose


def _shared(iterable: Value) -> Value:
    """The same to iterate over, a list and a tuple of the same elements being one alternative."""
    if not isinstance(iterable, Union):
        return iterable
    rows: dict[int, tuple[Bool, Value]] = {}
    for guard, each in alternatives(iterable):
        key = id(each.items) if isinstance(each, Seq) else id(each)
        before = rows.get(key)
        rows[key] = (guard, each) if before is None else (or_(before[0], guard), each)
    return Union(tuple(rows.values()))
