"""Scores: estimators over samples and tasks, and the summary of a run."""
