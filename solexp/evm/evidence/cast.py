"""Names for the accounts of a program: a reader cannot tell addresses apart."""

from __future__ import annotations

from solexp.core import Program
from solexp.evm.words import created_address, keccak

_NOBODY = "0x" + "00" * 20


class Cast:
    """The accounts that act in a program, by address."""

    def __init__(self, program: Program) -> None:
        deployment = program.deployment
        self.contract = created_address(deployment.sender, deployment.nonce)
        """Where the contract is deployed."""
        others: dict[str, None] = {}
        for call in program.calls:
            others[call.sender.lower()] = None
            others |= dict.fromkeys(each.account for each in call.receivers or ())
        others.pop(deployment.sender.lower(), None)
        others.pop(self.contract, None)
        self.roles = {deployment.sender.lower(): "deployer"}
        """What each account that sends something, or has code, is called, in order of appearance."""
        self.roles |= {address: f"account {n}" for n, address in enumerate(others, 1)}

    def named(self, text: str) -> str:
        """``text`` with the accounts' addresses replaced by what they are called."""
        for address, role in {**self.roles, self.contract: "the contract", _NOBODY: "0x0"}.items():
            text = text.replace(address, role)
        return text


def checksummed(address: str) -> str:
    """An address in mixed case (EIP-55), as Solidity wants it."""
    digits = address[2:].lower()
    places = format(keccak(digits.encode()), "064x")
    return "0x" + "".join(
        letter.upper() if place in "89abcdef" else letter
        for letter, place in zip(digits, places, strict=False)
    )


def ether(wei: int) -> str:
    """An amount in the largest unit in which it is whole, as Solidity writes it.

    >>> ether(5 * 10**18), ether(3 * 10**9), ether(7)
    ('5 ether', '3 gwei', '7 wei')
    """
    for unit, digits in (("ether", 18), ("gwei", 9)):
        if wei and not wei % 10**digits:
            return f"{wei // 10**digits} {unit}"
    return f"{wei} wei"
