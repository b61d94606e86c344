"""`solexp cache`: how much is kept, and making it less."""

from __future__ import annotations

import argparse
import shutil

from solexp.core import UserError
from solexp.core.errors import nearest
from solexp.store.cache import prune, size_of
from solexp.toolchain.homes import cache_home


def cache(command: argparse.Namespace) -> int:
    """Size, clear or prune the cache."""
    home = cache_home()
    folders = home.iterdir() if home.is_dir() else iter(())
    # Locks are no answers, and may be held.
    kinds = sorted(path.name for path in folders if path.is_dir() and path.name != "locks")
    if command.verb == "size":
        for kind in kinds:
            count, size = size_of(home / kind)
            print(f"{kind:12} {count:8} files {size / 1e6:10.1f} MB  {home / kind}")
        if not kinds:
            print(f"nothing is kept in {home}")
    elif command.verb == "clear":
        if command.kind is not None and command.kind not in kinds:
            raise UserError(f"cache: no kind '{command.kind}'; {nearest(command.kind, kinds)}")
        for kind in kinds if command.kind is None else [command.kind]:
            shutil.rmtree(home / kind)
            print(f"cleared {kind}")
    else:
        for kind in command.kind:
            if kind not in kinds:
                raise UserError(f"cache: no kind '{kind}'; {nearest(kind, kinds)}")
        gone = prune(home, command.keep_mb * 1_000_000, command.kind or None)
        print(f"deleted {gone} answers; at most {command.keep_mb} MB of these kinds remain")
    return 0
