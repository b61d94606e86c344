"""Writes the recorded calls anew."""

from __future__ import annotations

import sys

from solexp.benchmarks.starter.history.write import write_all

if __name__ == "__main__":
    write_all(sys.argv[1:])
