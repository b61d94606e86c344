"""The starter benchmark: contracts of solexp's own, embedded in the package."""

from solexp.benchmarks.starter.loader import VERSION, MutantLabel, Starter, mutant_labels

__all__ = ["VERSION", "MutantLabel", "Starter", "mutant_labels"]
