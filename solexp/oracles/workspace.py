"""Is the missing body written, by nobody else's hand, and does the contract do what the original does?

The scorer of Solidity Eval (2026): what an agent left compiles, no difference is found by fuzzing, and neither a stub
nor a text of the body that was deleted is in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Literal

import msgspec

from solexp.core import Candidate, Outcome, Task, TimeLimitExceeded, UserError, Verdict, Workspace
from solexp.core.workspace import STUB
from solexp.fuzzing.engines import EngineName
from solexp.fuzzing.settings import Arguments, Scope
from solexp.oracles.base import Case, verdict
from solexp.oracles.compile import no_code
from solexp.oracles.fuzz import Fuzz
from solexp.oracles.fuzzed import FuzzJudgement
from solexp.oracles.grounds import KEEP
from solexp.oracles.judgement import timed
from solexp.solidity.comments import without_comments

SCHEMA = 2
"""Raised with every change of what a verdict says."""

Rule = Literal["strict", "release"]
"""``strict``: where nothing was tested nothing is said. ``release``: no difference is a pass, as the card counts."""
Route = Literal[
    "exit_0", "vacuous_no_diff", "fail", "stub_residue", "b3_violation", "time", "harness"
]
"""How a reward came about, by the card's names; ``time`` and ``harness`` are solexp's own."""

_SHORTEST = 4
"""Characters of a canary that is looked for in compiled code: shorter ones are found by chance."""
_ROUTES: dict[Outcome, Route] = {
    Outcome.PASS: "exit_0",
    Outcome.VACUOUS: "vacuous_no_diff",
    Outcome.UNDECIDABLE: "vacuous_no_diff",
    Outcome.TIMEOUT: "time",
    Outcome.HARNESS_ERROR: "harness",
}
_SPACE = re.compile(r"\s+")


class WorkspaceOracle:
    """Judges what an agent left in its workspace, or a function put into the original contract.

    Measures: ``workspace.route``; ``workspace.reward``, 1 or 0, null where nothing is said; ``workspace.canaries``, how
    many texts were looked for; ``workspace.best_effort``, whether there were none; and those of the oracle ``fuzz``.
    """

    name = "workspace"
    language = "solidity"
    decides = True

    def __init__(
        self,
        *,
        rule: Rule = "strict",
        engine: EngineName = "solexp",
        scope: Scope = "contract",
        arguments: Arguments = "all",
        axes: str | list[str] = "status_return",
        calls: int = 4000,
        length: int = 20,
        gas: int = 20_000_000_000,
        seed: int = 0,
        cpu_s: float = 120.0,
        memory_mb: int = 2048,
        answer_mb: int = 128,
        elsewhere: bool = True,
    ) -> None:
        """All but ``rule`` are settings of the oracle ``fuzz``."""
        if rule not in ("strict", "release"):
            raise UserError(f"oracle.workspace.rule: must be strict or release, got {rule!r}")
        self.rule: Rule = rule
        try:
            self.fuzz = Fuzz(
                engine=engine,
                scope=scope,
                arguments=arguments,
                axes=axes,
                calls=calls,
                length=length,
                gas=gas,
                seed=seed,
                cpu_s=cpu_s,
                memory_mb=memory_mb,
                answer_mb=answer_mb,
                elsewhere=elsewhere,
            )
        except UserError as error:
            raise UserError(str(error).replace("oracle.fuzz.", "oracle.workspace.")) from None

    def fingerprint(self) -> dict[str, Any]:
        return {
            "oracle": self.name,
            "version": SCHEMA,
            "rule": self.rule,
            "fuzz": self.fuzz.fingerprint(),
        }

    def judge(self, case: Case) -> list[Verdict]:
        barred = {c.key: self._barred(case, c) for c in case.candidates}
        rest = case.among([c for c in case.candidates if barred[c.key] is None])
        found = {}
        if rest.candidates:
            asked = case.among([*rest.candidates, *_stubbed(case.task)])
            judged = FuzzJudgement(self.fuzz, asked)
            rows = timed(judged.verdicts, asked, self.fuzz.machine)
            untested = None
            if case.task.facts.get("signature") in judged.vacuous:
                untested = "every call of the function fails on the original"
            elif any(row.outcome is Outcome.PASS for row in rows[len(rest.candidates) :]):
                untested = (
                    "the stub is not told from the original: no call reached what the body does"
                )
            found = {
                candidate.key: self._routed(case.task, candidate, said, untested)
                for candidate, said in zip(rest.candidates, rows, strict=False)
            }
        return [barred[c.key] or found[c.key] for c in case.candidates]

    def _barred(self, case: Case, candidate: Candidate) -> Verdict | None:
        """The verdict on what earns nothing whatever it does."""
        if candidate.code is None:
            said = no_code(self.name, candidate)
            return self._said(case.task, candidate, said, "fail")
        leaks = dict(_leaks(case, candidate))
        if leaks:
            evidence: dict[str, object] = {
                "reason": "it holds texts of the original's body that the workspace did not",
                "canaries": leaks,
            }
            said = verdict(self.name, candidate, Outcome.FAIL, evidence=evidence)
            return self._said(case.task, candidate, said, "b3_violation")
        if _stubs(case.sources(candidate), case.task) > _stubs(case.task.sources, case.task):
            evidence = {"reason": "the stub is still there"}
            said = verdict(self.name, candidate, Outcome.FAIL, evidence=evidence)
            return self._said(case.task, candidate, said, "stub_residue")
        return None

    def _routed(
        self, task: Task, candidate: Candidate, said: Verdict, untested: str | None
    ) -> Verdict:
        route = _ROUTES.get(said.outcome, "fail")
        outcome, evidence = said.outcome, dict(said.evidence)
        if said.outcome is Outcome.PASS and untested is not None:
            route, outcome = "vacuous_no_diff", Outcome.VACUOUS
            evidence["reason"] = untested
        doubtful = said.outcome is Outcome.UNDECIDABLE and said.measures.get("task_decidable")
        if doubtful or (route == "vacuous_no_diff" and said.measures.get(KEEP) is False):
            # Neither right nor wrong, though something was tested; or it would be known another time.
            route = "harness"
        if route == "vacuous_no_diff" and self.rule == "release":
            outcome = Outcome.PASS
        said = msgspec.structs.replace(said, oracle=self.name, outcome=outcome, evidence=evidence)
        return self._said(task, candidate, said, route)

    def _said(self, task: Task, candidate: Candidate, said: Verdict, route: Route) -> Verdict:
        reward: int | None = int(route == "exit_0")
        if route == "vacuous_no_diff":
            reward = 1 if self.rule == "release" else None
        elif route == "harness":
            reward = None
        canaries = len(task.workspace.canaries) if isinstance(task.workspace, Workspace) else 0
        measures = {
            **said.measures,
            "workspace.route": route,
            "workspace.reward": reward,
            "workspace.canaries": canaries if candidate.files is not None else 0,
            "workspace.best_effort": candidate.files is not None and not canaries,
        }
        return msgspec.structs.replace(said, measures=measures)


def _stubbed(task: Task) -> tuple[Candidate, ...]:
    """The workspace as nobody has touched it: where it passes, the calls say nothing of the function."""
    if not isinstance(task.workspace, Workspace):
        return ()
    files = task.workspace.files
    code = files.get(task.target.path, "")
    return (
        Candidate(task_id=task.id, batch="stub", repeat=0, index=0, code=code, files=dict(files)),
    )


def _leaks(case: Case, candidate: Candidate) -> Iterator[tuple[str, str]]:
    """Each canary in what was left, with where it is. Nothing was left by who had no workspace."""
    workspace = case.task.workspace
    if candidate.files is None or not isinstance(workspace, Workspace):
        return
    missing = []
    for canary in workspace.canaries:
        where = (p for p, text in sorted(candidate.files.items()) if canary in text or canary in p)
        if (path := next(where, None)) is not None:
            yield canary, path
        else:
            missing.append(canary)
    for canary, code in ((c, c.encode().hex()) for c in missing if len(c) >= _SHORTEST):
        if code in _compiled(case, candidate):
            yield canary, "compiled code"


def _compiled(case: Case, candidate: Candidate) -> str:
    """The code of all contracts, as one text; empty where there is none."""
    try:
        build = case.build(candidate)
    except TimeLimitExceeded:
        return ""
    return " ".join(contract.creation for contract in build.contracts) if build.ok else ""


def _stubs(sources: Mapping[str, str], task: Task) -> int:
    """How often the stub stands in the file that holds the function."""
    stub = task.workspace.stub if isinstance(task.workspace, Workspace) else STUB
    text = _SPACE.sub("", without_comments(sources.get(task.target.path, "")))
    return text.count(_SPACE.sub("", stub))
