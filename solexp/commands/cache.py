"""`solexp cache`: how much is kept, and making it less."""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Sequence
from pathlib import Path

from solexp.core import UserError
from solexp.core.errors import nearest
from solexp.store.cache import NEVER_PRUNED, prune, size_of
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
        _clear(home, kinds, command)
    else:
        _prune(home, kinds, command)
    return 0


def _clear(home: Path, kinds: Sequence[str], command: argparse.Namespace) -> None:
    if command.kind is not None:
        if command.all:
            raise UserError(f"cache: --all clears every kind; leave out '{command.kind}' or --all")
        _known(command.kind, kinds)
        wanted = [command.kind]
    else:
        wanted = [kind for kind in kinds if command.all or kind not in NEVER_PRUNED]
    for kind in wanted:
        shutil.rmtree(home / kind)
        print(f"cleared {kind}")
    if command.kind is None:
        for kind in sorted(set(kinds).difference(wanted)):
            count, size = size_of(home / kind)
            print(
                f"kept {kind} ({count} files, {size / 1e6:.1f} MB), which may have cost money; "
                f"delete them with: solexp cache clear {kind}"
            )


def _prune(home: Path, kinds: Sequence[str], command: argparse.Namespace) -> None:
    for kind in command.kind:
        _known(kind, kinds)
    counted = sorted(set(command.kind)) or [kind for kind in kinds if kind not in NEVER_PRUNED]
    gone = prune(home, command.keep_mb * 1_000_000, counted)
    left = [size_of(home / kind)[1] for kind in counted]
    said = f"{' + '.join(counted) or 'nothing'}: deleted {gone} answers, {sum(left) / 1e6:.1f} MB remain"
    beside = [
        f"{kind} {size_of(home / kind)[1] / 1e6:.1f} MB" for kind in kinds if kind not in counted
    ]
    print(said + (f"; outside the limit: {', '.join(beside)}" if beside else ""))


def _known(kind: str, kinds: Sequence[str]) -> None:
    if kind not in kinds:
        raise UserError(f"cache: no kind '{kind}'; {nearest(kind, kinds)}")
