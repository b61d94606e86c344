"""What a sample's verdicts stand on, at the command line."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

from solexp.benchmarks.starter import Starter
from solexp.cli import main
from solexp.config.compose import compose, plain
from solexp.core import Candidate, Completion, Generation, Outcome, Task, Verdict
from solexp.oracles.base import Case, verdict
from solexp.oracles.compile import Compile
from solexp.oracles.replay import Replay
from solexp.solidity.compiler import Compiler
from solexp.store import RunFolder
from solexp.store.records import write_lines

TASK, MUTANT = "ShareVault", "same-block-withdrawal"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of one task: a right answer, a mutant, one that does not compile; and a right one of another batch."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SOLEXP_STAMP", "stamp")
        config = plain(compose(["benchmark=starter", f"benchmark.ids=[{TASK}]"]))
    [task] = Starter(ids=[TASK]).tasks()
    texts = {
        ("greedy", 0): ("reference", task.reference),
        ("greedy", 1): (MUTANT, task.mutants[MUTANT]),
        ("greedy", 2): (None, "contract ShareVault { nonsense"),
        ("nucleus", 0): ("reference", task.reference),
    }
    folder = RunFolder(tmp_path_factory.mktemp("runs") / "made")
    folder.write_config(config)
    folder.write_manifest({"status": "finished", "name": "made"})
    folder.write_tasks([task])
    folder.write_generations(
        Generation(
            key=f"{batch}-{index}",
            task_id=TASK,
            batch=batch,
            repeat=0,
            index=index,
            completion=Completion(text=f"```solidity\n{code}\n```", label=label),
        )
        for (batch, index), (label, code) in texts.items()
    )
    rows = [
        Candidate(task_id=TASK, batch=batch, repeat=0, index=index, code=code)
        for (batch, index), (_, code) in texts.items()
    ]
    folder.write_verdicts(_verdicts(task, rows))
    return folder.path


def _verdicts(task: Task, rows: list[Candidate]) -> list[Verdict]:
    with Compiler() as compiler:
        case = Case(task, rows, compiler)
        return [*Compile().judge(case), *Replay().judge(case)]


def asked(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    """Exit status, standard output and standard error of a command."""
    status = main(words)
    said = capsys.readouterr()
    return status, said.out, said.err


def test_the_samples_of_a_task_are_listed(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = asked(capsys, "show", str(run), "--task", "Share")
    assert status == 0
    assert out.splitlines() == [
        "ShareVault",
        "sample     compile        replay",
        "---------  -------------  -------------",
        "greedy/0   pass           pass",
        "greedy/1   pass           fail",
        "greedy/2   compile_error  compile_error",
        "nucleus/0  pass           pass",
    ]


def test_a_sample_s_verdicts_are_there_as_json(
    run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("--task", TASK, "--sample", "1", "--json")
    _, out, _ = asked(capsys, "show", str(run), *words)
    found = json.loads(out)
    assert list(found) == ["greedy/1"]
    assert [row["oracle"] for row in found["greedy/1"]] == ["compile", "replay"]
    assert found["greedy/1"][1]["counterexample"]["prefix"] == 6


def test_a_sample_is_shown_with_the_calls_that_decide(
    run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, out, _ = asked(capsys, "show", str(run), "--task", TASK, "--sample", "1")
    assert status == 0
    lines = out.splitlines()
    assert lines[0] == f"ShareVault, sample greedy/1 ({MUTANT})"
    assert lines[1] == "  compile  pass"
    assert lines[2].startswith("  replay   fail: status differs at withdraw(")
    assert "  5  account 1  deposit()  with 2 ether  (+2 blocks, +24 s)" in lines
    assert "  6  account 1  withdraw(1000000000000000000, account 1)" in lines
    assert lines[lines.index("  how call 6 ends") + 1 :][:2] == [
        "    original   failure (SameBlock())",
        "    candidate  success",
    ]
    assert lines[-1].endswith("--task ShareVault --sample greedy/1 --out DIR")


def test_a_sample_that_passes_is_shown_in_a_few_lines(
    run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, out, _ = asked(capsys, "show", str(run), "--task", TASK, "--sample", "greedy/0")
    assert out.splitlines() == ["ShareVault, sample greedy/0", "  compile  pass", "  replay   pass"]


def test_without_its_benchmark_a_sample_is_shown_without_calls(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    copy = _copy(run, tmp_path)
    rows = [msgspec.structs.replace(row, hash="0" * 64) for row in copy.tasks()]
    write_lines(copy.path / "tasks.jsonl", rows)
    status, out, _ = asked(capsys, "show", str(copy.path), "--task", TASK, "--sample", "1")
    assert status == 0
    assert "status differs at withdraw(" in out
    assert "the benchmark's task is not the one of this run any more" in out


def test_a_divergence_is_written_as_a_foundry_project(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "evidence"
    words = ("repro", str(run), "--task", TASK, "--sample", "greedy/1", "--out", str(out))
    status, said, _ = asked(capsys, *words)
    assert status == 0
    assert said.splitlines() == [
        "replay: how call 2 ends: expected failure (SameBlock()), got success",
        f"written to {out}: 2 calls",
        f"run it: cd {out} && forge test",
    ]
    files = {str(path.relative_to(out)) for path in out.rglob("*") if path.is_file()}
    assert files == {
        "README.md",
        "foundry.toml",
        "test/ShareVault.t.sol",
        "original.sol",
        "candidate.sol",
    }
    assert 'evm_version = "cancun"' in (out / "foundry.toml").read_text()
    readme = (out / "README.md").read_text()
    assert "Of 6 that were made up to there 4 are left out" in readme
    assert f"`greedy/1` ({MUTANT})" in readme
    test = (out / "test" / "ShareVault.t.sol").read_text()
    assert (
        'data = abi.encodeWithSignature("withdraw(uint256,address)", uint256(2), DEPLOYER);' in test
    )
    status, _, error = asked(capsys, *words)
    assert (status, error.count("\n")) == (2, 1)
    assert f"{out} is there already" in error


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ("--task", "ShearVault", "--sample", "1"),
            "no task 'ShearVault'; did you mean 'ShareVault'?",
        ),
        (("--task", TASK, "--sample", "7"), "no sample '7'; choose from: greedy/0, greedy/1"),
        (("--task", TASK, "--sample", "greedy/x"), "no sample 'greedy/x'; choose from"),
        (("--task", TASK, "--sample", "0"), "in several batches; choose from: greedy/0, nucleus/0"),
        (
            ("--task", TASK, "--sample", "greedy/0"),
            "passes every oracle: there is nothing to export",
        ),
        (
            ("--task", TASK, "--sample", "1", "--oracle", "compile"),
            "passes 'compile': there is nothing to export",
        ),
        (
            ("--task", TASK, "--sample", "1", "--oracle", "fuzz"),
            "no verdict of 'fuzz' on this sample; choose from: compile, replay",
        ),
        (("--task", TASK, "--sample", "2"), "no calls show why this sample fails: compile: "),
    ],
)
def test_what_cannot_be_exported_is_refused_in_one_line(
    run: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    words: tuple[str, ...],
    said: str,
) -> None:
    status, out, error = asked(capsys, "repro", str(run), *words, "--out", str(tmp_path / "e"))
    assert (status, out, error.count("\n")) == (2, "", 1)
    assert said in error
    assert not (tmp_path / "e").exists()


def test_a_difference_that_does_not_come_again_is_not_exported(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    copy = _copy(run, tmp_path)
    [failed] = [row for row in copy.verdicts() if row.counterexample is not None]
    right = verdict(
        "replay",
        Candidate(task_id=TASK, batch="greedy", repeat=0, index=0),
        Outcome.FAIL,
        counterexample=failed.counterexample,
    )
    copy.write_verdicts([right])
    words = ("--task", TASK, "--sample", "0", "--out", str(tmp_path / "e"))
    status, _, error = asked(capsys, "repro", str(copy.path), *words)
    assert status == 2
    assert "do not differ in status" in error


def test_a_sample_alone_is_no_sample(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, _, error = asked(capsys, "show", str(run), "--sample", "1")
    assert (status, "--sample needs --task" in error) == (2, True)


def _copy(run: Path, folder: Path) -> RunFolder:
    made = folder / "copy"
    made.mkdir()
    for path in run.iterdir():
        (made / path.name).write_bytes(path.read_bytes())
    return RunFolder(made)
