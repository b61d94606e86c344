"""One script a task: what its actors do."""

from __future__ import annotations

from collections.abc import Callable

from solexp.benchmarks.starter.history.scenes import defi, tokens
from solexp.benchmarks.starter.history.stage import Stage

SCENES: dict[str, Callable[[Stage], None]] = {
    "HarborToken": tokens.harbor_token,
    "ShareVault": defi.share_vault,
    "TollToken": tokens.toll_token,
}
