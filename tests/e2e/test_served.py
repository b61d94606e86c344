"""Whole runs with a language model's server on loopback."""

from __future__ import annotations

import os
import re
import signal
import time
from collections.abc import Iterator

import pytest

from solexp.benchmarks.starter import Starter
from solexp.core import Prompt
from solexp.store.records import read_lines
from tests.e2e.conftest import Trial, told
from tests.llm.served.server import Asked, LoopbackServer, status

KEY = "sk-only-in-the-environment-42"
REFERENCES = {task.target.contract: task.reference for task in Starter().tasks()}
_NAME = re.compile(r"[Ww]rite the complete contract (\w+)|code of (\w+)")


def right(asked: Asked, index: int) -> str:  # noqa: ARG001
    """The reference of the contract that is asked for."""
    found = _NAME.search(asked.text)
    assert found is not None
    return f"Here it is:\n```solidity\n{REFERENCES[found[1] or found[2]]}\n```"


def broken_at_first(asked: Asked, index: int) -> str:
    """What does not compile, until the compiler's word is passed on."""
    answer = right(asked, index)
    if "The compiler says" in asked.text:
        return answer
    return answer.replace("{", "{ uint256 missing", 1)


@pytest.fixture
def server() -> Iterator[LoopbackServer]:
    with LoopbackServer(right, key=KEY) as started:
        yield started


def words(server: LoopbackServer, *more: str) -> tuple[str, ...]:
    return (
        "run",
        "model=openai",
        "model.name=loopback",
        f"model.base_url={server.base_url}",
        "model.api_key_env=LOOPBACK_KEY",
        "model.backoff_s=0.01",
        "model.n_per_request=1",
        "tracking=none",
        "oracle=[compile]",
        *more,
    )


@pytest.fixture
def keyed(trial: Trial) -> Trial:
    trial.environment["LOOPBACK_KEY"] = KEY
    return trial


def test_a_run_asks_judges_and_says_beforehand_what_it_will_take(
    keyed: Trial, server: LoopbackServer
) -> None:
    said = keyed.solexp(*words(server, "benchmark.limit=4"))
    assert re.search(r"forecast: 4 requests, about [\d,]+ tokens of prompts", said)
    run = keyed.runs()[-1]
    assert run.summary["metrics"]["compile_at_1"]["value"] == 1.0
    assert run.summary["usage"]["prompt_tokens"] > 1000
    assert {g.completion.served_by for g in run.generations()} == {"loopback"}
    assert [len(g.prompts) for g in run.generations()] == [1] * 4
    assert server.count == 4


def test_the_key_is_in_nothing_that_is_written(keyed: Trial, server: LoopbackServer) -> None:
    keyed.keep_own_builds()
    keyed.solexp(*words(server, "benchmark.limit=1", "tracking=mlflow"))
    server.always = status(401, f"Incorrect API key provided: {KEY}", code="invalid_api_key")
    said = keyed.solexp(*words(server, "benchmark.limit=2"), status=2)
    assert "LOOPBACK_KEY" in said
    assert KEY not in said
    assert keyed.mlflow_runs()
    files = [path for path in keyed.folder.rglob("*") if path.is_file()]
    assert len(files) > 13
    assert [path for path in files if KEY.encode() in path.read_bytes()] == []


def test_no_key_is_one_line_and_nothing_is_asked(trial: Trial, server: LoopbackServer) -> None:
    said = trial.solexp(*words(server, "benchmark.limit=1"), status=2)
    assert "LOOPBACK_KEY" in said.splitlines()[-1]
    assert server.count == 0


def test_a_dry_run_asks_nothing_and_needs_no_key(trial: Trial, server: LoopbackServer) -> None:
    said = trial.solexp(*words(server, "benchmark.limit=2", "run.dry=true"))
    assert "forecast: 2 requests" in said
    assert server.count == 0
    prompts = list(read_lines(trial.runs()[-1].path / "prompts.jsonl", Prompt))
    assert len(prompts) == 2
    assert "Write the complete contract" in prompts[0].messages[-1].content


def test_a_dry_sweep_forecasts_each_run_and_compares_nothing(
    trial: Trial, server: LoopbackServer
) -> None:
    sweep = ("experiments=shots", "benchmark.limit=1", "strategy.shots=0,1", "run.dry=true")
    said = trial.solexp(*words(server, *sweep, "strategy/examples=random", "-m"))
    assert said.count("forecast: ") == 2
    assert "2 runs in" in said and "no task has" not in said
    assert server.count == 0


def test_raising_n_asks_only_for_the_samples_that_are_missing(
    keyed: Trial, server: LoopbackServer
) -> None:
    sampling = ("sampling=nucleus5", "benchmark.limit=1")
    keyed.solexp(*words(server, *sampling))
    assert server.count == 5
    keyed.solexp(*words(server, *sampling, "sampling.batches.nucleus.n=10"))
    assert server.count == 10
    keyed.solexp(*words(server, *sampling, "oracle=[compile,overlap]"))
    assert server.count == 10


def test_kill_9_in_the_middle_repeats_no_finished_request(
    keyed: Trial, server: LoopbackServer
) -> None:
    server.delay_s = 0.2
    command = words(server, "sampling=nucleus10", "model.concurrency=2", "benchmark.limit=3")
    process = keyed.start(*command)
    keyed.wait_for(lambda: server.count >= 12)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    time.sleep(0.5)
    kept = len(list((keyed.folder / "cache" / "generations").rglob("*.json")))
    assert kept >= 8
    before = server.count
    server.delay_s = 0
    keyed.solexp(*command)
    assert server.count - before == 30 - kept


def test_a_budget_stops_the_run_before_it_is_passed_and_judges_what_there_is(
    keyed: Trial, server: LoopbackServer
) -> None:
    limit = 30_000
    command = words(
        server, "benchmark.limit=6", "model.max_output_tokens=9000", "model.concurrency=1"
    )
    said = keyed.solexp(*command, f"model.max_tokens_total={limit}", status=1)
    assert "model.max_tokens_total" in said.splitlines()[-1]
    run = keyed.runs()[-1]
    had = run.generations()
    assert 0 < len(had) < 6
    usages = [g.completion.usage for g in had]
    used = sum((u.prompt_tokens or 0) + (u.completion_tokens or 0) for u in usages)
    assert used > 0
    assert used <= limit
    assert len(run.verdicts()) == len(had)
    before = server.count
    keyed.solexp(*command)
    assert server.count == before + 6 - len(had)


def test_repair_asks_again_from_the_compilers_error_and_keeps_both_scores(
    keyed: Trial, server: LoopbackServer
) -> None:
    server.reply = broken_at_first
    keyed.solexp(*words(server, "benchmark.limit=3", "strategy/refine=repair"))
    run = keyed.runs()[-1]
    metrics = {name: metric["value"] for name, metric in run.summary["metrics"].items()}
    assert metrics["round0.compile_rate"] == 0.0
    assert metrics["compile_rate"] == 1.0
    assert metrics["gain.compile_rate"] == 1.0
    assert metrics["compile_at_1"] == 1.0
    assert sorted(g.round for g in run.generations()) == [0, 0, 0, 1, 1, 1]
    assert {asked.body.get("temperature") for asked in server.asked[3:]} == {0.2}
    asked = server.count
    keyed.solexp(*words(server, "benchmark.limit=3", "strategy/refine=repair"))
    assert server.count == asked
    assert told(keyed.runs()[-1]) == told(run)


def test_a_prompt_that_holds_the_key_is_refined_like_any_other(
    keyed: Trial, server: LoopbackServer
) -> None:
    layout = keyed.folder / "mine.jinja"
    layout.write_text(
        "{% block user %}Write the complete contract {{ contract }}, not " + KEY + "{% endblock %}"
    )
    server.reply = broken_at_first
    keyed.solexp(
        *words(server, "benchmark.limit=1", "strategy/refine=repair"), f"strategy.template={layout}"
    )
    run = keyed.runs()[-1]
    assert run.summary["metrics"]["compile_at_1"]["value"] == 1.0
    assert KEY.encode() not in (run.path / "prompts.jsonl").read_bytes()


def test_rescoring_a_run_reads_its_replies_as_the_run_did(
    keyed: Trial, server: LoopbackServer
) -> None:
    def marked(asked: Asked, index: int) -> str:  # noqa: ARG001
        return "/// HERE\nnothing\n/// THERE"

    server.reply = marked
    keyed.solexp(
        *words(server, "benchmark.ids=[GatePass]"), "strategy=function", "strategy.natspec=none"
    )
    run = keyed.runs()[-1]
    keyed.solexp("rescore", run.name, "strategy.markers=[HERE,THERE]")
    again = keyed.runs()[-1]
    assert len(again.generations()) == len(run.generations()) > 1
    assert again.config["strategy"]["markers"] == ["HERE", "THERE"]
    assert again.config["strategy"]["natspec"] == "none"
    said = keyed.solexp("rescore", run.name, "strategy=contract", status=2)
    assert "only settings of the strategy can change" in said


def test_a_server_that_is_gone_leaves_what_there_is(keyed: Trial, server: LoopbackServer) -> None:
    keyed.solexp(*words(server, "benchmark.ids=[GatePass]"))
    server.always = status(500)
    said = keyed.solexp(
        *words(server, "benchmark.limit=8", "model.tries=2", "model.circuit=2"), status=1
    )
    assert "solexp: stopped asking" in said or "could not be had" in said
    assert keyed.runs()[-1].manifest["status"] == "finished"
