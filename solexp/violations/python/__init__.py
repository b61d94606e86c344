"""From the assertions of a Python contract to inputs that violate exactly the chosen ones.

The door is `generate`. The assertions are evaluated symbolically, by Python's own semantics, over a bounded tagged
union of values; Z3 finds the inputs. No language model takes part (in ContractEval, §3, one translates).
"""

from __future__ import annotations

from solexp.violations.python.answers import VERSION, Combination, Generated, Settings, Status
from solexp.violations.python.generating import generate

__all__ = ["VERSION", "Combination", "Generated", "Settings", "Status", "generate"]
