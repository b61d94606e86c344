from __future__ import annotations

import gzip
import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
import rlp  # type: ignore[import-untyped]
from eth_utils.crypto import keccak

from solexp.benchmarks import data, stats, taskset
from solexp.benchmarks.solcontracteval import SolContractEval
from solexp.benchmarks.solcontracteval.creation import (
    CreationMatch,
    compare_creation,
    linked_addresses,
)
from solexp.benchmarks.solcontracteval.importing import fetch, import_release
from solexp.core import ContractBuild, DataError, Deployment, Program, UserError
from tests.benchmarks.release import ADDRESS, ID, SECOND, write_release


@pytest.fixture(scope="module")
def bundle(data_home: Path) -> Path:
    return data_home / "solcontracteval"


@pytest.fixture(scope="module")
def benchmark(bundle: Path) -> SolContractEval:
    return SolContractEval(path=str(bundle))


def test_the_bundle_holds_what_its_description_says(benchmark: SolContractEval) -> None:
    tasks = benchmark.tasks()
    assert len(tasks) == 90
    assert sum(task.program is not None for task in tasks) == 82
    assert [task.id.partition("_0x")[0] for task in tasks if task.undecidable] == [
        "WaykiCoin",
        "Token",
        "TransparentUpgradeableProxy",
        "UniswapV2Pair",
        "WIN",
        "XesMainToken",
        "TrollTownElixir",
        "TokenCashier",
    ]
    assert sum(len(task.program.calls) for task in tasks if task.program) == 48_118
    for task in tasks:
        assert task.reference.startswith("contract ")
        assert task.framework
        assert task.requirement


def test_sender_and_nonce_of_the_deployment_give_the_address_on_the_chain(
    benchmark: SolContractEval,
) -> None:
    for task in benchmark.tasks():
        if task.program is not None:
            deployment = task.program.deployment
            sender = bytes.fromhex(deployment.sender.removeprefix("0x"))
            address = keccak(rlp.encode([sender, deployment.nonce]))[12:].hex()
            assert "0x" + address == task.facts["address"]


def test_the_prompt_that_is_worded_otherwise_is_split_as_well(benchmark: SolContractEval) -> None:
    (task,) = [task for task in benchmark.tasks() if task.id.startswith("Maximus_")]
    assert task.context == ""
    assert task.framework.startswith("/**\n * @notice HEXToken")
    assert "HEXToken" in task.requirement


def test_only_the_first_calls_are_kept_when_asked(bundle: Path, benchmark: SolContractEval) -> None:
    (task,) = SolContractEval(path=str(bundle), ids=["WhiteList"], calls=7).tasks()
    (whole,) = [whole for whole in benchmark.tasks() if whole.id == task.id]
    assert task.program is not None
    assert whole.program is not None
    assert task.program.calls == whole.program.calls[:7]
    assert task.sources == whole.sources


def test_missing_data_say_how_to_get_them(tmp_path: Path) -> None:
    with pytest.raises(
        UserError, match=r"tasks\.jsonl\.gz is missing; run: solexp data fetch solcontracteval"
    ):
        SolContractEval(path=str(tmp_path)).tasks()


def test_malformed_rows_are_named_by_file_and_line_and_the_others_are_used(
    tmp_path: Path,
    bundle: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    folder = tmp_path / "solcontracteval"
    folder.mkdir()
    with gzip.open(bundle / "tasks.jsonl.gz") as file:
        lines = file.read().splitlines()[:5]
    rows = [json.loads(line) for line in lines]
    rows[1]["source"] = None
    rows[3]["source"] = "contract Other {}"
    texts = [json.dumps(row).encode() for row in rows]
    texts[2] = b"{"
    (folder / "tasks.jsonl.gz").write_bytes(gzip.compress(b"\n".join(texts)))
    shutil.copy(bundle / "transactions.parquet", folder)
    whole = [rows[0]["task_id"], rows[4]["task_id"]]

    assert [task.id for task in SolContractEval(path=str(folder)).tasks()] == whole
    assert {record.name for record in caplog.records} == {
        "solexp.benchmarks.solcontracteval.benchmark"
    }
    monkeypatch.setenv("SOLEXP_DATA", str(tmp_path))
    found = data.verify("solcontracteval")
    assert found.tasks == 2
    assert len(found.problems) == 3
    text = "\n".join(found.problems)
    assert re.search(r"tasks\.jsonl\.gz line 2: .*`\$\.source`", text)
    assert "tasks.jsonl.gz line 3: Input data was truncated" in text
    assert re.search(r"tasks\.jsonl\.gz line 4: the ground truth of \w+ occurs 0 times", text)
    (folder / "tasks.jsonl.gz").write_bytes(gzip.compress(texts[2]))
    with pytest.raises(DataError, match=r"holds no usable task; the first problem: .* line 1"):
        SolContractEval(path=str(folder)).tasks()


def test_a_malformed_transaction_is_named_by_its_row_and_left_out(
    tmp_path: Path, bundle: Path, caplog: pytest.LogCaptureFixture
) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    with gzip.open(bundle / "tasks.jsonl.gz") as file:
        line = next(row for row in file if json.loads(row)["tx_source"] != "none")
    task_id = json.loads(line)["task_id"]
    (tmp_path / "tasks.jsonl.gz").write_bytes(gzip.compress(line))
    table = parquet.read_table(bundle / "transactions.parquet", use_threads=False)
    rows = [row for row in table.slice(0, 2000).to_pylist() if row["task_id"] == task_id][:4] or [
        row for row in table.to_pylist() if row["task_id"] == task_id
    ][:4]
    rows[2]["value"] = None
    rows[3]["value"] = "much"
    parquet.write_table(
        pyarrow.Table.from_pylist(rows, schema=table.schema), tmp_path / "transactions.parquet"
    )
    (task,) = SolContractEval(path=str(tmp_path)).tasks()
    assert task.program is not None
    assert len(task.program.calls) == 1
    assert f"transactions.parquet row 2: transaction of {task_id}: value is missing" in caplog.text
    assert f"row 3: transaction of {task_id}: invalid literal for int()" in caplog.text
    parquet.write_table(table.slice(0, 1).drop(["gas"]), tmp_path / "transactions.parquet")
    with pytest.raises(DataError, match="has no column gas"):
        SolContractEval(path=str(tmp_path)).tasks()


def test_damaged_files_are_named(tmp_path: Path, bundle: Path) -> None:
    with gzip.open(bundle / "tasks.jsonl.gz") as file:
        lines = file.read().splitlines()[:3]
    shutil.copy(bundle / "transactions.parquet", tmp_path)
    (tmp_path / "tasks.jsonl.gz").write_bytes(gzip.compress(b"\n".join(lines))[:-900])
    with pytest.raises(DataError, match="after line"):
        SolContractEval(path=str(tmp_path)).tasks()
    (tmp_path / "tasks.jsonl.gz").write_bytes(gzip.compress(b"\n".join(lines)))
    (tmp_path / "transactions.parquet").write_bytes(b"PAR1 no more")
    with pytest.raises(DataError, match=r"transactions\.parquet: "):
        SolContractEval(path=str(tmp_path)).tasks()


def test_the_categories_of_the_bundle_stand_beside_the_papers(
    bundle: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOLEXP_DATA", str(bundle.parent))
    found = data.statistics("solcontracteval")
    assert found.totals == {"ERC20": 30, "DeFi": 21, "ERC721": 18, "Others": 21}
    assert found.paper_totals == {"ERC20": 52, "DeFi": 28, "ERC721": 23, "Others": 21}
    assert [row.category for row in found.rows] == ["ERC20", "DeFi", "ERC721", "Others", "Overall"]
    overall = found.rows[-1]
    assert overall.tasks == 90
    # Table I of the paper has 11.47 functions a contract, over 124 of which these are 90.
    assert overall.functions == pytest.approx(11.47, rel=0.05)


def test_the_bundle_verifies(bundle: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOLEXP_DATA", str(bundle.parent))
    found = data.verify("solcontracteval")
    assert (found.ok, found.tasks, found.problems) == (True, 90, ())
    assert found.undecidable == {"no recorded transactions": 8}
    assert set(found.hashes) == {"tasks.jsonl.gz", "transactions.parquet"}
    (listing,) = [one for one in data.list_benchmarks() if one.name == "solcontracteval"]
    assert (listing.present, listing.tasks) == (True, 90)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SOLEXP_DATA", str(tmp_path / "home"))
    return tmp_path


def test_an_imported_release_is_listed_verified_and_used(home: Path) -> None:
    (before,) = [one for one in data.list_benchmarks() if one.name == "solcontracteval"]
    assert (before.present, before.note) == (False, "get it by: solexp data fetch solcontracteval")
    report = data.import_data("solcontracteval", write_release(home / "release"))
    assert report.tasks == 2
    (after,) = [one for one in data.list_benchmarks() if one.name == "solcontracteval"]
    assert (after.present, after.tasks) == (True, 2)
    assert data.verify("solcontracteval").ok
    benchmark = SolContractEval()
    assert [task.id for task in benchmark.tasks()] == [ID, SECOND]
    assert benchmark.creation_inputs() == {ID: "0x6001", SECOND: "0x6001"}
    assert set(benchmark.data_hashes()) == {taskset.TASKS}


def test_a_malformed_line_of_a_task_set_is_a_problem_and_the_others_are_used(home: Path) -> None:
    folder = data.import_data("solcontracteval", write_release(home / "release")).folder
    path = folder / taskset.TASKS
    path.write_bytes(gzip.compress(b"{}\n" + gzip.decompress(path.read_bytes())))
    found = data.verify("solcontracteval")
    assert found.tasks == 2
    assert "tasks.solexp.jsonl.gz line 1: Object missing required field" in found.problems[0]
    assert found.problems[0].endswith("; import the data again; left out")


def test_a_changed_file_of_tasks_does_not_verify(home: Path) -> None:
    folder = data.import_data("solcontracteval", write_release(home / "release")).folder
    path = folder / taskset.TASKS
    path.write_bytes(gzip.compress(gzip.decompress(path.read_bytes())))
    (problem,) = data.verify("solcontracteval").problems
    assert "its hash is not the one in taskset.json" in problem
    path.write_bytes(
        gzip.compress(gzip.decompress(path.read_bytes()).replace(b"contract Lid", b"contract Led"))
    )
    assert any(
        "does not define Lid" in problem for problem in data.verify("solcontracteval").problems
    )
    path.write_bytes(b"")
    assert "hash" in " ".join(data.verify("solcontracteval").problems)
    (folder / taskset.HEADER).write_text("{}")
    assert "schema" in data.verify("solcontracteval").problems[0]
    (listing,) = [one for one in data.list_benchmarks() if one.name == "solcontracteval"]
    assert not listing.present


def test_an_unknown_benchmark_is_refused_with_the_nearest() -> None:
    with pytest.raises(
        UserError, match="no benchmark 'solcontracteva'; did you mean 'solcontracteval'"
    ):
        data.verify("solcontracteva")
    with pytest.raises(UserError, match="comes with solexp; there is nothing to fetch"):
        data.fetch("starter")


def test_a_release_is_fetched_by_git_at_the_pinned_commit(home: Path) -> None:
    origin = write_release(home / "origin")
    commit = committed(origin)
    (origin / f"dataset/source_code/{ID}.sol").unlink()
    later = committed(origin)
    assert later != commit
    report = fetch(home / "data", repository=origin.as_uri(), commit=commit)
    assert (report.tasks, report.problems) == (2, ())
    assert taskset.header(home / "data").origin == f"{origin.as_uri()} at {commit}"
    # The clone is at hand, so nothing is fetched again.
    shutil.rmtree(origin)
    assert fetch(home / "data", repository=origin.as_uri(), commit=commit).tasks == 2


def test_a_repository_out_of_reach_ends_in_one_line(home: Path) -> None:
    with pytest.raises(
        UserError, match=r"cannot fetch .*import a copy: solexp data import"
    ) as caught:
        fetch(home / "data", repository=(home / "nowhere").as_uri())
    assert "\n" not in str(caught.value)
    assert not list((home / "data").glob("*release*"))
    assert not list((home / "data").glob(".release*"))


def committed(folder: Path) -> str:
    def git(*arguments: str) -> str:
        return run_git(folder, *arguments)

    git("init", "--quiet")
    git("config", "uploadpack.allowAnySHA1InWant", "true")
    git("config", "uploadpack.allowFilter", "true")
    git("add", "--all")
    git("-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "--quiet", "-m", "data")
    return git("rev-parse", "HEAD").strip()


def run_git(folder: Path, *arguments: str) -> str:

    done = subprocess.run(
        ["git", "-C", str(folder), *arguments], check=True, capture_output=True, text=True
    )
    return done.stdout


def build(creation: str) -> ContractBuild:
    return ContractBuild(path="Jar.sol", name="Jar", abi=[], creation=creation, runtime="0x")


def test_creation_code_is_compared_up_to_the_metadata() -> None:
    deployment = Deployment(
        contract="Jar", sender=ADDRESS, constructor_args="0xff", block_number=1, timestamp=1
    )
    program = Program(deployment=deployment)
    old = "0x6001a165627a7a72305820{}0029".format
    new = "0x6001a2646970667358221220{}64736f6c6343{}0033".format
    one, two = "11" * 32, "22" * 32
    assert compare_creation(build(old(one)), program, old(one) + "ff") is CreationMatch.EQUAL
    assert compare_creation(build(old(one)), program, old(two) + "ff") is CreationMatch.METADATA
    assert compare_creation(build(old(one)), program, old(two) + "fe") is CreationMatch.DIFFERENT
    assert (
        compare_creation(build(old(one)), program, old(two), nightly=True) is CreationMatch.NIGHTLY
    )
    recorded = new(two, "000802") + "ff"
    assert compare_creation(build(new(one, "000801")), program, recorded) is CreationMatch.METADATA
    assert (
        compare_creation(build(new(one, "000801")), program, recorded[2:])
        is CreationMatch.DIFFERENT
    )


def test_library_addresses_are_read_off_the_recorded_code() -> None:
    address = "ab" * 20
    for placeholder in ("__Jar.sol:Limits________________________", "__$" + "0f" * 17 + "$__"):
        assert linked_addresses(f"0x73{placeholder}6000", f"0x73{address}6000") == {
            placeholder: "0x" + address
        }
    assert linked_addresses("0x6000", "0x6000") == {}


def test_statistics_of_no_tasks_are_no_rows() -> None:
    assert stats.table(()) == ()
    assert stats.tokens("uint x = 1; // one") == 8


def test_an_import_needs_a_folder(home: Path) -> None:
    with pytest.raises(UserError, match="is no folder"):
        data.import_data("solcontracteval", home / "nowhere")
    with pytest.raises(UserError, match="no SolContractEval release"):
        import_release(home, home)
