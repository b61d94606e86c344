"""Nodes with a ``_target_`` become objects; the target's signature is the schema."""

from __future__ import annotations

import dataclasses
import inspect
import pydoc
import re
import typing
from collections.abc import Callable
from typing import Any

import msgspec

from solexp.core import UserError
from solexp.core.errors import nearest


def instantiate(node: dict[str, Any], where: str) -> Any:
    """The object that ``node`` describes. ``where`` is the node's place, for messages.

    Raises UserError when the target cannot be imported, a key is no argument of it, a required
    argument is missing, or a value has the wrong type.
    """
    target, arguments = checked(node, where)
    built = {
        key: instantiate(value, f"{where}.{key}") if _is_node(value) else value
        for key, value in arguments.items()
    }
    return target(**built)


def checked(node: dict[str, Any], where: str) -> tuple[Callable[..., Any], dict[str, Any]]:
    """The target and its arguments, converted to the annotated types, nodes within too; nothing is called."""
    name = node.get("_target_")
    if not isinstance(name, str):
        raise UserError(f"{where}: needs a _target_ (the dotted name of a class or function)")
    try:
        target = pydoc.locate(name)
    except pydoc.ErrorDuringImport as error:
        raise UserError(f"{where}._target_: importing '{name}' failed: {error.value}") from None
    if target is None:
        raise UserError(f"{where}._target_: nothing is called '{name}'; is its package installed?")
    if not callable(target):
        raise UserError(f"{where}._target_: '{name}' is not callable")
    given = {key: value for key, value in node.items() if key != "_target_"}
    arguments = _matched(target, given, where)
    for key, value in arguments.items():
        if _is_node(value):
            checked(value, f"{where}.{key}")
    return target, arguments


def _is_node(value: Any) -> bool:
    return isinstance(value, dict) and "_target_" in value


def _matched(target: Callable[..., Any], given: dict[str, Any], where: str) -> dict[str, Any]:
    signature = inspect.signature(target)
    hints = _hints(target)
    open_ended = any(p.kind is p.VAR_KEYWORD for p in signature.parameters.values())
    known = [
        name
        for name, parameter in signature.parameters.items()
        if parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY)
    ]
    arguments = {}
    for key, value in given.items():
        if key not in known and not open_ended:
            raise UserError(f"{where}.{key}: no such setting; {nearest(key, known)}")
        arguments[key] = (
            value if _is_node(value) else _converted(value, hints.get(key), f"{where}.{key}")
        )
    for name in known:
        parameter = signature.parameters[name]
        if parameter.default is parameter.empty and name not in arguments:
            raise UserError(f"{where}.{name}: must be given")
    return arguments


def _hints(target: Callable[..., Any]) -> dict[str, Any]:
    function = target
    if dataclasses.is_dataclass(target):
        pass  # each class's own fields, whatever module it stands in
    elif isinstance(target, type) and not issubclass(target, msgspec.Struct):
        function = target.__init__  # that of a base, too
    try:
        return typing.get_type_hints(function)
    except (NameError, TypeError, AttributeError):
        return {}


def _converted(value: Any, hint: Any, where: str) -> Any:
    if hint is None or hint is Any:
        return value
    try:
        return msgspec.convert(value, hint)
    except msgspec.ValidationError as error:
        choices = [str(choice) for choice in _choices(hint)]
        reason = nearest(str(value), choices) if choices else _wanted(str(error))
        raise UserError(f"{where}: cannot be {value!r}; {reason}") from None
    except TypeError:
        # The annotation is no plain data type (a protocol, a callable): the target checks for itself.
        return value


def _wanted(error: str) -> str:
    """What msgspec wanted, in words: ``Expected `int | null`, got `str``` is "wants int or null"."""
    found = re.search(r"Expected `([^`]+)`(?:, got `[^`]+`)?(.*)", error)
    return f"wants {found[1].replace(' | ', ' or ')}{found[2]}" if found else error


def _choices(hint: Any) -> list[Any]:
    """The values of a Literal, also inside a union, in which yes and no may be others."""
    parts = typing.get_args(hint)
    if typing.get_origin(hint) is typing.Literal:
        return list(parts)
    found = [choice for part in parts for choice in _choices(part)]
    return [*found, "true", "false"] if found and bool in parts else found
