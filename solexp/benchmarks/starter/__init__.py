"""The starter benchmark: twelve contracts of solexp's own, embedded in the package."""

from solexp.benchmarks.starter.loader import MutantLabel, Starter, mutant_labels

__all__ = ["MutantLabel", "Starter", "mutant_labels"]
