"""Sets of whole contracts, and documentation written anew."""

from __future__ import annotations

import csv
import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from solexp.benchmarks.building.contract_sets import build_contracts
from solexp.benchmarks.building.contract_tasks import make_task
from solexp.benchmarks.building.funnel import Funnel
from solexp.benchmarks.building.screening import Untold
from solexp.benchmarks.building.settings import (
    ContractSettings,
    Settings,
    Which,
    read_settings,
)
from solexp.benchmarks.building.sources import Source, from_tasks
from solexp.benchmarks.building.targets import Target, choose_targets
from solexp.benchmarks.contracts import Contracts
from solexp.benchmarks.solbench import SolBench
from solexp.benchmarks.solidity_eval import SolidityEval
from solexp.benchmarks.starter.loader import read_task
from solexp.cli import main
from solexp.config import build, compose
from solexp.config.compose import plain
from solexp.core import Candidate, CompilerSettings, Outcome, Task, UserError
from solexp.dcr import read
from solexp.oracles.base import Case
from solexp.oracles.replay import Replay
from solexp.solidity.compiler import Compiler
from solexp.store.alone import alone
from tests.llm.served.server import Asked, LoopbackServer

SALE = """// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

library Sums {
    function plus(uint256 a, uint256 b) internal pure returns (uint256) { return a + b; }
    function never(uint256 a) internal pure returns (uint256) { return a; }
}

interface INobody { function nothing() external; }

contract Owned {
    address public owner = msg.sender;
    modifier only() { require(msg.sender == owner, "only"); _; }
    function unused() internal {}
}

/// Sells.
contract Sale is Owned {
    using Sums for uint256;

    uint256 public sold;

    constructor(uint256 first) { sold = first; }

    /// Buys some.
    function buy(uint256 amount) external
        returns (uint256)
    {
        require(amount > 0, "none");
        sold = sold.plus(amount);
        return sold;
    }

    function end() external only { sold = 0; }

    receive() external payable { sold += 1; }
}
"""
NEVER = """pragma solidity ^0.8.0;
contract Never {
    uint256 public times;
    constructor() { revert("never"); }
    function count() external { times += 1; }
}
"""
ONLY = "pragma solidity ^0.8.0; contract Only { uint256 public n; constructor() { n = 7; } }\n"
PLAIN = "pragma solidity ^0.8.0; interface Plain { function f() external; }\n"
VIEWS = """pragma solidity ^0.8.0;
contract Views { function f(uint256 a) external pure returns (uint256) { return a * 2 + 1; } }
"""
PLAIN_SETTINGS = CompilerSettings(version="0.8.28")
OLD = """pragma solidity ^0.4.18;
contract Old {
    uint public n;
    function Old(uint first) public { n = first; }
    function () public payable { n += 1; }
    function set(uint to) public { n = to; }
}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sources")
    texts = {"Never": NEVER, "Old": OLD, "Only": ONLY, "Plain": PLAIN, "Sale": SALE, "Views": VIEWS}
    for name, text in texts.items():
        (folder / f"{name}.sol").write_text(text)
    (folder / "Old.json").write_text('{"compiler": "v0.4.26+commit.4563c3fc"}')
    beside = {"contract": "Sale", "compiler": "0.8.28", "optimizer": True, "runs": 9}
    beside["constructor_arguments"] = f"{5:064x}"
    (folder / "Sale.json").write_text(json.dumps(beside))
    return folder


@pytest.fixture(scope="module")
def built(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("set")
    words = ["data", "build", "contracts", "min_changing=1", "deploys=true", "graphs=true"]
    settings = ["compilers=>=0.4.26 <=0.8.28", "duplicates=-1"]
    assert main([*words, *settings, "--from", str(folder), "--out", str(out)]) == 0
    return out


@pytest.fixture(scope="module")
def tasks(built: Path) -> dict[str, Task]:
    return {task.id: task for task in Contracts(path=str(built)).tasks()}


def test_every_filter_tells_what_it_left_out(built: Path, tasks: dict[str, Task]) -> None:
    card = json.loads((built / "card.json").read_text())
    why = {each["source"]: (each["stage"], each["why"]) for each in card["dropped"]}
    assert {name: stage for name, (stage, _) in why.items()} == {
        "Never": "deploys",
        "Only": "target",
        "Plain": "target",
        "Views": "compiler",
    }
    assert why["Only"][1] == "has nothing but constructors to write"
    assert why["Never"][1].startswith("cannot be deployed afresh")
    assert card["counts"]["deployment"] == {"known": 1, "made up": 1}
    assert sorted(tasks) == ["Old", "Sale"]


def test_a_task_shows_the_framework_and_the_least_context(tasks: dict[str, Task]) -> None:
    task = tasks["Sale"]
    assert task.framework.startswith("/// Sells.\ncontract Sale is Owned {")
    assert "constructor(uint256 first) { sold = first; }" in task.framework
    assert "receive() external payable { sold += 1; }" in task.framework
    assert "plus(amount)" not in task.framework
    assert "function end() external only {}" in task.framework
    assert "function plus" in task.context
    assert "modifier only" in task.context
    assert not any(word in task.context for word in ("never", "unused", "INobody", "Sells"))
    assert task.reference.startswith("contract Sale")
    assert (task.compiler.version, task.compiler.runs) == ("0.8.28", 9)
    assert task.program is not None
    assert task.program.deployment.constructor_args == f"0x{5:064x}"


def test_contracts_of_0_4_are_taken_as_they_were_built(tasks: dict[str, Task]) -> None:
    task = tasks["Old"]
    assert task.compiler.version == "0.4.26"
    assert "function Old(uint first) public { n = first; }" in task.framework
    assert "function () public payable { n += 1; }" in task.framework
    assert "function set(uint to) public {}" in task.framework


def test_life_cycles_stand_where_the_oracle_looks_for_them(built: Path) -> None:
    graph = read((built / "graphs" / "Sale.json").read_bytes(), "Sale")
    assert {"buy(uint256)", "end()"} <= {event.function for event in graph.events}


def test_a_run_finds_the_set(built: Path) -> None:
    spec = build(plain(compose(["benchmark=contracts", f"benchmark.path={built}"])))
    assert [task.id for task in spec.benchmark.tasks()] == ["Old", "Sale"]
    assert spec.benchmark.data_hashes() == {
        "tasks.solexp.jsonl.gz": json.loads((built / "taskset.json").read_text())["sha256"]
    }


def test_a_set_that_was_changed_is_told_by_its_card(
    built: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "set"
    shutil.copytree(built, folder)
    asked = ["data", "verify", "contracts", f"benchmark.path={folder}"]
    assert main(asked) == 0
    assert "contracts: 2 tasks, 0 problems" in capsys.readouterr().out

    (folder / "graphs" / "Old.json").unlink()
    with (folder / "graphs" / "Sale.json").open("a") as file:
        file.write("\n")
    assert main(asked) == 1
    said = capsys.readouterr().err
    assert "Old.json: is not there, though card.json names it" in said
    assert "Sale.json: its hash is not the one in card.json" in said
    assert main([*asked, "seed=3"]) == 2
    assert "data verify: 'seed=3' is no key of the benchmark" in capsys.readouterr().err


def test_of_two_builds_into_one_folder_the_second_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, sources = tmp_path / "out", tmp_path / "sources"
    sources.mkdir()
    (sources / "Empty.sol").write_text("pragma solidity ^0.8.20;\ninterface Nothing {}\n")
    asked = ["data", "build", "contracts", "--from", str(sources), "--out", str(out)]
    with alone(out, "build"):
        assert main(asked) == 2
        assert "another build into" in capsys.readouterr().err
    assert main(asked) == 2
    assert "another build" not in capsys.readouterr().err
    assert not out.exists(), "what comes to nothing leaves nothing behind"


def harbour() -> Source:
    (source,), _ = from_tasks([read_task("HarborToken")])
    return source


def test_a_history_is_kept_and_must_be_reproduced(tmp_path: Path) -> None:
    source = harbour()
    assert source.program is not None
    settings = ContractSettings(reproduces=0.8, reproduced_calls=40, calls=50, context="none")
    lying = msgspec.structs.replace(
        source.program,
        calls=tuple(
            msgspec.structs.replace(
                call,
                recorded=msgspec.structs.replace(call.recorded, status=not call.recorded.status)
                if call.recorded and place % 3 == 0
                else call.recorded,
            )
            for place, call in enumerate(source.program.calls)
        ),
    )
    liar = msgspec.structs.replace(source, id="Liar", program=lying)
    loose = msgspec.structs.replace(settings, duplicates=-1)
    told = build_contracts([("here", [source, liar], [])], tmp_path, loose)
    (task,) = Contracts(path=str(tmp_path)).tasks()
    assert (task.id, task.facts["reproduced"], task.facts["history"]) == (
        "HarborToken",
        1.0,
        "recorded",
    )
    assert task.program is not None
    assert task.program.calls == source.program.calls[:50]
    with Compiler() as compiler:
        candidate = Candidate(
            task_id=task.id, batch="greedy", repeat=0, index=0, code=task.reference
        )
        [verdict] = Replay().judge(Case(task, [candidate], compiler))
    assert verdict.outcome is Outcome.PASS
    assert [each.why for each in told.dropped] == [
        "reproduces too little of its history: 26 of 40 calls"
    ]


def test_a_drawn_target_is_any_that_can_be_written_and_hangs_on_the_seed() -> None:
    more = "".join(text.partition(";")[2] for text in (ONLY, PLAIN, VIEWS))
    source = Source(id="Sale", text=SALE + more, contract="Sale")
    with Compiler(max_workers=1) as compiler:

        def drawn(seed: int, target: Which = "drawn") -> str:
            settings = ContractSettings(seed=seed, target=target, compilers=">=0.8.28 <=0.8.28")
            [one] = choose_targets([source], settings, compiler, Funnel(), steps=Untold())
            return one.contract

        found = [drawn(seed) for seed in range(12)]
        assert set(found) == {"Sale", "Views"}
        assert found == [drawn(seed) for seed in range(12)]
        assert {drawn(seed, "given") for seed in range(3)} == {"Sale"}


def test_the_rest_of_the_file_may_be_the_context() -> None:
    one = Target(source=Source(id="Sale", text=SALE), contract="Sale", compiler=PLAIN_SETTINGS)
    task = make_task(one, ContractSettings(context="rest", keep=("modifier",)), None)
    assert isinstance(task, Task)
    assert all(word in task.context for word in ("never", "INobody", "unused"))
    assert "Sells" not in task.context
    assert "contract Sale" not in task.context
    assert "constructor(uint256 first) {}" in task.framework


def test_filters_of_a_paper_are_a_setting_and_give_way_to_ones_own() -> None:
    found = read_settings(["max_changing=5", "filters=solbehave"], ContractSettings)
    assert (found.min_transactions, found.min_changing, found.max_changing) == (200, 1, 5)
    assert (found.target, found.reproduces, found.deploys) == ("deployed", 0.8, True)
    assert read_settings(["filters=solcontracteval"], Settings).per_series == 50
    assert read_settings(["context=none", "keep=modifier"], ContractSettings).context == "none"
    for word in ("filters=mine", "reproduces=2", "target=all", "calls=0", "context=all"):
        with pytest.raises(UserError):
            read_settings([word], ContractSettings)


def test_what_is_filled_into_a_sheet_is_what_tasks_and_rows_say(
    folder: Path, built: Path, tmp_path: Path
) -> None:
    sheet = tmp_path / "sheet.csv"
    words = ["benchmark=contracts", f"benchmark.path={built}", "benchmark.ids=[Sale]"]
    assert main(["data", "natspec", *words, "--out", str(sheet)]) == 0
    with sheet.open() as file:
        rows = list(csv.DictReader(file))
    assert [row["signature"] for row in rows] == ["buy(uint256)", "end()"]
    assert (rows[0]["was"], rows[0]["documentation"]) == ("Buys some.", "")
    rows[0]["documentation"] = "@notice Acquires units.\n@return All that are sold."
    with sheet.open("w") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    common = ["compilers=>=0.4.26 <=0.8.28", "--from", str(folder), "--natspec", str(sheet)]
    make = ["data", "build", "contracts", "context=none", "rows=5", *common]
    assert main([*make, "--out", str(tmp_path / "set")]) == 0
    (task,) = Contracts(path=str(tmp_path / "set"), ids=["Sale"]).tasks()
    assert "/// @notice Acquires units.\n    /// @return All" in task.framework
    assert "Buys some" not in task.framework
    rows_of: dict[str, type[SolBench | SolidityEval]] = {
        "solbench": SolBench,
        "solidity_eval": SolidityEval,
    }
    for name, benchmark in rows_of.items():
        out = tmp_path / name
        words = ["data", "build", name, *common[:-2], "--out", str(out)]
        assert main(words) == 0
        (own,) = benchmark(path=str(out)).tasks()
        line = {"task_id": own.id, "signature": "buy(uint256)", "documentation": "@notice Gets."}
        (tmp_path / "rows.jsonl").write_text(json.dumps(line) + "\n")
        assert main([*words, "--natspec", str(tmp_path / "rows.jsonl")]) == 0
        (own,) = benchmark(path=str(out)).tasks()
        assert own.requirement == "@notice Gets."
        assert "Buys some" not in next(iter(own.sources.values()))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("task_id,signature\nSale,end()\n", "has no text in the column 'documentation'"),
        ("task_id,signature,documentation\nSale,end(),\n", "nothing is filled"),
        ("task_id,signature,documentation\nA,f(),x\nA,f(),y\n", "f() of A is there already"),
        ("task_id,signature,documentation\nNo,f(),Does.\n", "such as 'No', are none of this set"),
    ],
)
def test_a_sheet_that_cannot_be_used_is_told_in_one_line(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], *, text: str, said: str
) -> None:
    (tmp_path / "sheet.csv").write_text(text)
    words = ["data", "build", "contracts", "context=none", "compilers=>=0.8.28 <=0.8.28"]
    words += ["--from", str(folder), "--natspec", str(tmp_path / "sheet.csv")]
    assert main([*words, "--out", str(tmp_path / "set")]) == 2
    told = capsys.readouterr().err.splitlines()[-1]
    assert said in told


def outlines(asked: Asked, index: int) -> str:  # noqa: ARG001
    assert "Buys some" not in asked.text
    return """```solidity
contract Sale is Owned {
    /// @notice Takes up units and gives how many are sold.
    function buy(uint256 amount) external returns (uint256);
    /// @notice Ends it; the owner alone may.
    function end() external only;
}
```"""


@pytest.fixture
def writer() -> Iterator[LoopbackServer]:
    with LoopbackServer(outlines, models=("loopback",)) as server:
        yield server


def test_a_model_fills_the_sheet_in(
    built: Path, tmp_path: Path, writer: LoopbackServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOLEXP_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    words = ["benchmark=contracts", f"benchmark.path={built}", "benchmark.ids=[Sale]"]
    model = ["model=openai", "model.name=loopback", f"model.base_url={writer.base_url}"]
    for _ in range(2):
        sheet = tmp_path / "sheet.jsonl"
        assert main(["data", "natspec", *words, *model, "--out", str(sheet)]) == 0
        rows = [json.loads(line) for line in sheet.read_text().splitlines()]
        assert [row["documentation"] for row in rows] == [
            "@notice Takes up units and gives how many are sold.",
            "@notice Ends it; the owner alone may.",
        ]
    assert len(writer.asked) == 1
