"""A run on SolEval's own data: real repository, real forge."""

from __future__ import annotations

from pathlib import Path

from tests.e2e.conftest import Trial

CLZ = "solady/src/utils/LibBit.sol:LibBit.clz(uint256)"
MODEL = '''
from solexp.core import Completion
from solexp.llm.offline import Mutants
from solexp.solidity.stubs import stub_of

class Forgetful(Mutants):
    """Knows the answer in the first repeat, and an empty body in the others."""
    def fingerprint(self, task):
        return {"model": "forgetful"}
    def complete(self, request):
        code = stub_of(request.task, "empty") if request.repeat else request.task.reference
        return Completion(text=f"```solidity\\n{code}\\n```")
'''


def test_each_repeat_is_judged_and_scored_by_its_own_replies(trial: Trial, data_home: Path) -> None:
    (trial.folder / "mine" / "forgetful.py").write_text(MODEL)
    conf = trial.folder / "mine" / "conf" / "model" / "forgetful.yaml"
    conf.write_text("_target_: mine.forgetful.Forgetful\n")
    trial.environment["SOLEXP_DATA"] = str(data_home)
    trial.solexp(
        *("run", "benchmark=soleval", f"benchmark.ids=['{CLZ}']", "strategy=function"),
        *("oracle=[tests]", "model=forgetful", "sampling=soleval", "sampling.repeats=2"),
        *("sampling.batches.nucleus.n=2", "sampling.batches.nucleus.ks=[2]", "tracking=none"),
    )
    (run,) = trial.runs()
    outcomes = {(row.repeat, row.batch, row.index): row.outcome.value for row in run.verdicts()}
    assert outcomes == {
        (repeat, *sample): "fail" if repeat else "pass"
        for repeat in (0, 1)
        for sample in (("greedy", 0), ("nucleus", 0), ("nucleus", 1))
    }
    for name in ("pass_at_1", "pass_at_2"):
        found = run.summary["metrics"][name]
        assert (found["value"], found["repeats"]) == (0.5, [1, 0])
