"""Library addresses of contracts that were linked when they were deployed.

Read off the creation code on the chain: where the compiler leaves a placeholder, the recorded code holds the address.
`solexp.benchmarks.solcontracteval.creation.linked_addresses` finds them again from a build.
"""

from __future__ import annotations

LIBRARIES: dict[str, dict[str, str]] = {}
"""Addresses by library name, by task id."""
