"""The errors solexp raises.

SolexpError
├── UserError            the input was wrong: one line, exit status 2
│   ├── DataError        ... and it was a file of a benchmark
│   └── Unverified       ... and it was an address without a published source (solexp.benchmarks.building.chain)
├── HarnessError         a fault of ours or of a tool; never charged to a model
│   ├── ToolError        a compiler, node or installer is missing or misbehaves
│   │   └── Meddled      ... because of the code that it was given (solexp.solidity.foundry.forge)
│   ├── BudgetReached    the next request might pass a run's limit (solexp.llm.budget)
│   ├── RequestFailed    a language model's server did not answer this request, whatever was tried
│   ├── ModelGone        ... or answers no request any more
│   ├── RpcError         an EVM node answered with an error (solexp.evm.rpc)
│   └── NodeGone         an EVM node does not answer any more (solexp.evm.rpc)
├── TimeLimitExceeded    a candidate used up its limits
└── NotRead              a candidate holds no tests that can be read (solexp.violations.cvts)

Interrupted              the user pressed Ctrl-C; exit status 130
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class SolexpError(Exception):
    """The root: catching it catches everything solexp raises on purpose."""


class UserError(SolexpError):
    """Something the user gave is wrong. The message says which thing, where, and how to mend it, in one line."""


class DataError(UserError):
    """A benchmark's file is malformed. The message names the file and line."""


class HarnessError(SolexpError):
    """A fault of solexp or its surroundings. Becomes the outcome ``harness_error``, never a model's failure."""


class ToolError(HarnessError):
    """A tool (compiler, EVM node, installer) is missing, or does not do what it should."""


class RequestFailed(HarnessError):
    """A language model's server did not answer a request, however often it was asked. The sample is missing."""


class ModelGone(HarnessError):
    """A language model's server answers nothing any more: asking on is useless."""


class TimeLimitExceeded(SolexpError):
    """A candidate used up the time or memory it was given. Becomes the outcome ``timeout``."""


class Interrupted(KeyboardInterrupt):
    """The user interrupted the run. What was done is kept.

    No SolexpError, not even an Exception: whoever goes on after a failed run must not go on after
    this.
    """


def nearest(name: str, known: Iterable[str]) -> str:
    """A clause naming the known name nearest to ``name``, or all of them when none is near.

    >>> nearest("pess", ["pass", "fail"])
    "did you mean 'pass'?"
    """
    names = sorted(known)
    close = difflib.get_close_matches(name, names, n=1, cutoff=0.6)
    if close:
        return f"did you mean '{close[0]}'?"
    return "choose from: " + ", ".join(names) if names else "there are none to choose from"
