"""Running untrusted Python functions, each call in a confined process of its own."""

from solexp.sandbox.calls import Check, call_python, run_checks
from solexp.sandbox.limits import CallResult, Ended, Limits

__all__ = ["CallResult", "Check", "Ended", "Limits", "call_python", "run_checks"]
