"""What a prompt's template may say: the schema of its variables."""

from __future__ import annotations

from typing import Literal

import msgspec

from solexp.strategies.base import Example

Natspec = Literal["none", "task", "model"]
"""Documentation in prompts: none, the data set's own, or freshly written by the model."""

Granularity = Literal["contract", "function", "sequential"]


class Material(msgspec.Struct, frozen=True, kw_only=True):
    """The variables of every template. What a granularity does not have is empty."""

    task_id: str
    granularity: Granularity
    contract: str
    """Name of the target's contract."""
    version: str
    """Compiler release, such as ``0.8.17``."""
    requirement: str = ""
    """What is asked for, in words."""
    context: str = ""
    """Code around the target that is shown."""
    framework: str = ""
    """The target's outline, the bodies empty."""
    signature: str = ""
    """Header of the function that is wanted."""
    before: str = ""
    """The file's text before the gap (completion and infilling)."""
    after: str = ""
    """The file's text behind the gap."""
    examples: tuple[Example, ...] = ()
    cot: bool = False
    """Whether the model is asked to think in writing before it answers."""
    # What a Python function demands of its arguments.
    conditions: tuple[str, ...] = ()
    """What must hold of valid arguments, in words; empty where the prompt does not state it."""
    condition_code: str = ""
    """Statements that fail on other arguments, for what has no words."""
    refused: tuple[str, ...] = ()
    """Calls that must be refused, as code."""
    wrong: tuple[tuple[str, str], ...] = ()
    """Valid calls, each with an output that it does not have."""
    combinations: tuple[str, ...] = ()
    """Sets of assertions that tests are to violate, by their numbers, such as ``0, 2``."""
    tests: int = 0
    """Tests that are wanted of each."""
    # What refinement has to say.
    code: str = ""
    """The answer so far."""
    error: str = ""
    """What is wrong with it."""
    definitions: str = ""
    """Code that the error names."""


VARIABLES = Material.__struct_fields__
