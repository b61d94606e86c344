"""The compiler's names of types."""

from __future__ import annotations

import pytest

from solexp.violations.solidity import Unsupported
from solexp.violations.solidity.types import read_type


def test_mappings_arrays_and_structs_nest() -> None:
    kind = read_type("t_mapping$_t_address_$_t_array$_t_struct$_Grant_$12_storage_$dyn_storage_$")
    assert kind.kind == "mapping"
    key, value = kind.items
    assert key.kind == "address"
    assert (value.kind, value.length, value.location) == ("array", None, "storage")
    assert (value.items[0].kind, value.items[0].declaration) == ("struct", 12)


@pytest.mark.parametrize(
    ("identifier", "value"),
    [
        ("t_rational_minus_5_by_1", -5),
        ("t_rational_-5_by_1", -5),
        ("t_rational_126144000_by_1", 126144000),
    ],
)
def test_constants_tell_their_value(identifier: str, value: int) -> None:
    assert read_type(identifier).value == value


def test_a_function_tells_its_kind_and_whether_it_is_bound() -> None:
    bound = (
        "t_function_internal_pure$_t_uint256_$_t_uint256_$returns$_t_uint256_$bound_to$_t_uint256_$"
    )
    kind = read_type(bound)
    assert (kind.name, kind.bound) == ("internal", True)
    assert not read_type("t_function_require_pure$_t_bool_$returns$__$").bound


def test_a_tuple_has_empty_places() -> None:
    kind = read_type("t_tuple$_t_bool_$__$")
    assert [each.kind for each in kind.items] == ["bool", "other"]


def test_an_expression_without_a_type_is_refused() -> None:
    with pytest.raises(Unsupported, match="without a type"):
        read_type(None)
