"""Judging tasks in worker processes."""

from solexp.judging.pool import judge_all
from solexp.judging.task import Job, Judged, judge_job

__all__ = ["Job", "Judged", "judge_all", "judge_job"]
