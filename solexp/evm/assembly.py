"""The small EVM programs that read a contract's state, and the assembler for them."""

from __future__ import annotations

_OPCODES = {
    "STOP": 0x00,
    "ADD": 0x01,
    "SUB": 0x03,
    "LT": 0x10,
    "EQ": 0x14,
    "ISZERO": 0x15,
    "AND": 0x16,
    "OR": 0x17,
    "SHA3": 0x20,
    "ADDRESS": 0x30,
    "BALANCE": 0x31,
    "ORIGIN": 0x32,
    "CALLER": 0x33,
    "CALLVALUE": 0x34,
    "CALLDATALOAD": 0x35,
    "CALLDATASIZE": 0x36,
    "CALLDATACOPY": 0x37,
    "CODECOPY": 0x39,
    "EXTCODESIZE": 0x3B,
    "RETURNDATASIZE": 0x3D,
    "RETURNDATACOPY": 0x3E,
    "POP": 0x50,
    "MLOAD": 0x51,
    "MSTORE": 0x52,
    "SLOAD": 0x54,
    "SSTORE": 0x55,
    "JUMP": 0x56,
    "JUMPI": 0x57,
    "GAS": 0x5A,
    "JUMPDEST": 0x5B,
    "DUP1": 0x80,
    "DUP2": 0x81,
    "SWAP1": 0x90,
    "LOG0": 0xA0,
    "CALL": 0xF1,
    "RETURN": 0xF3,
    "DELEGATECALL": 0xF4,
    "STATICCALL": 0xFA,
    "REVERT": 0xFD,
    "INVALID": 0xFE,
}


def assemble(source: str) -> str:
    """Bytecode as hex with ``0x``. Words are opcodes, hexadecimal numbers (pushed), ``name:`` or ``@name`` (places)."""
    code = bytearray()
    places: dict[str, int] = {}
    jumps: list[tuple[int, str]] = []
    for word in source.split():
        if word.endswith(":"):
            places[word[:-1]] = len(code)
            code.append(_OPCODES["JUMPDEST"])
        elif word.startswith("@"):
            jumps.append((len(code) + 1, word[1:]))
            code += b"\x61\x00\x00"
        elif word in _OPCODES:
            code.append(_OPCODES[word])
        else:
            value = bytes.fromhex(word.removeprefix("0x").zfill(2))
            code.append(0x5F + len(value))
            code += value
    for position, name in jumps:
        code[position : position + 2] = places[name].to_bytes(2, "big")
    return "0x" + code.hex()


# Memory: 0x40 place in the calldata, 0x60 place in the answer, 0x80 kind, 0xa0 base, 0xc0 entries left, 0xe0 offset.
READER = assemble(
    """
    ADDRESS BALANCE 0x0100 MSTORE
    0x00 0x40 MSTORE
    0x0120 0x60 MSTORE
    group:
        CALLDATASIZE 0x40 MLOAD LT ISZERO @done JUMPI
        0x40 MLOAD CALLDATALOAD 0x80 MSTORE
        0x40 MLOAD 0x20 ADD CALLDATALOAD 0xa0 MSTORE
        0x40 MLOAD 0x40 ADD CALLDATALOAD 0xc0 MSTORE
        0x40 MLOAD 0x60 ADD CALLDATALOAD 0xe0 MSTORE
        0x40 MLOAD 0x80 ADD 0x40 MSTORE
    entry:
        0xc0 MLOAD ISZERO @group JUMPI
        0x80 MLOAD 0x03 EQ @balance JUMPI
        0xa0 MLOAD
        0x80 MLOAD ISZERO @plain JUMPI
        0x20 MSTORE
        0x40 MLOAD CALLDATALOAD 0x00 MSTORE
        0x40 0x00 SHA3
        0x80 MLOAD 0x01 EQ @read JUMPI
        0x20 MSTORE
        0x40 MLOAD 0x20 ADD 0x40 MSTORE
        0x40 MLOAD CALLDATALOAD 0x00 MSTORE
        0x40 0x00 SHA3
        @read JUMP
    balance:
        0x40 MLOAD CALLDATALOAD BALANCE
        @store JUMP
    plain:
        0x40 MLOAD CALLDATALOAD ADD
    read:
        0xe0 MLOAD ADD SLOAD
    store:
        0x60 MLOAD MSTORE
        0x60 MLOAD 0x20 ADD 0x60 MSTORE
        0x40 MLOAD 0x20 ADD 0x40 MSTORE
        0x01 0xc0 MLOAD SUB 0xc0 MSTORE
        @entry JUMP
    done:
        0x0100 0x60 MLOAD SUB 0x0100 RETURN
    """
)
"""Code that stands in for a contract's own while its state is read.

The calldata is a list of groups, each ``kind, base, count, offset`` (32-byte words) and its entries. Kind 0: entries
are slots, relative to the base. Kind 1: entries are keys of the mapping at slot ``base``. Kind 2: entries are pairs of
keys of the mapping of mappings there. Kind 3: entries are accounts whose balance is wanted. ``offset`` is added to each
slot (a member of a struct). The answer is the contract's balance and one word an entry. Hashing slots here is an order
of magnitude cheaper than in Python.
"""

PROBE = assemble(
    """
    0x20 CALLDATASIZE SUB 0x20 0x00 CALLDATACOPY
    0x00 0x00
    0x20 CALLDATASIZE SUB 0x00
    0x00 CALLDATALOAD
    GAS STATICCALL
    RETURNDATASIZE 0x00 0x00 RETURNDATACOPY
    @good JUMPI
    RETURNDATASIZE 0x00 REVERT
    good:
    RETURNDATASIZE 0x00 RETURN
    """
)
"""Code that calls the contract in its first word with the rest of its calldata, unable to change any state."""

SIZE = assemble("0x00 CALLDATALOAD EXTCODESIZE 0x00 MSTORE 0x20 0x00 RETURN")
"""Code that returns the size of the code of the account in its first word."""


def trial(code_at: str) -> str:
    """Code that stands in for a contract's own, which is at ``code_at``: what a transaction does is told and undone.

    It runs the contract's code with its storage, address, caller and value, and then reverts with a word that says
    whether that succeeded and the data it gave. Calls that the contract makes to itself are let through.
    """
    return assemble(_TRIAL.replace("CODE_AT", code_at))


def old_trial(code_at: str, helper: str) -> str:
    """The same before Byzantium, where nothing can revert with data: just the word, as a success.

    It needs `undoing` code at ``helper``.
    """
    return assemble(_OLD_TRIAL.replace("CODE_AT", code_at).replace("HELPER", helper))


def undoing(code_at: str) -> str:
    """Code that runs the code at ``code_at`` and fails exactly when that succeeds, so that nothing of it is kept."""
    return assemble(_UNDOING.replace("CODE_AT", code_at))


# Before Byzantium a contract that calls itself gets no data back through this, but for a word.
_TRIAL = """
    CALLDATASIZE 0x00 0x00 CALLDATACOPY
    CALLER ORIGIN EQ @outermost JUMPI
    0x00 0x00 CALLDATASIZE 0x00 CODE_AT GAS DELEGATECALL
    RETURNDATASIZE 0x00 0x00 RETURNDATACOPY
    @good JUMPI
    RETURNDATASIZE 0x00 REVERT
    good:
    RETURNDATASIZE 0x00 RETURN
    outermost:
    0x00 0x00 CALLDATASIZE 0x00 CODE_AT GAS DELEGATECALL
    0x00 MSTORE
    RETURNDATASIZE 0x00 0x20 RETURNDATACOPY
    0x20 RETURNDATASIZE ADD 0x00 REVERT
"""

_OLD_TRIAL = """
    CALLDATASIZE 0x00 0x00 CALLDATACOPY
    CALLER ORIGIN EQ @outermost JUMPI
    0x20 0x00 CALLDATASIZE 0x00 CODE_AT 0x1000 GAS SUB DELEGATECALL
    @good JUMPI
    INVALID
    good:
    0x20 0x00 RETURN
    outermost:
    0x00 0x00 CALLDATASIZE 0x00 HELPER 0x1000 GAS SUB DELEGATECALL
    ISZERO 0x00 MSTORE
    0x20 0x00 RETURN
"""

_UNDOING = """
    CALLDATASIZE 0x00 0x00 CALLDATACOPY
    0x00 0x00 CALLDATASIZE 0x00 CODE_AT 0x1000 GAS SUB DELEGATECALL
    @good JUMPI
    STOP
    good:
    INVALID
"""
