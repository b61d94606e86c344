"""Cells of an ablation set against a baseline: table, effects, picture, CSV and LaTeX."""

from solexp.report.compare import text
from solexp.report.compare.comparison import Comparison, compare_by, compare_runs

__all__ = ["Comparison", "compare_by", "compare_runs", "text"]
