"""Any Foundry project as a benchmark."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from solexp.benchmarks.base import everything
from solexp.benchmarks.foundry import Foundry
from solexp.core import DataError, Outcome, Project, Suite, Task, UserError
from solexp.oracles.base import Oracle
from solexp.oracles.compile import Compile
from solexp.oracles.tests import Tests
from solexp.solidity.compiler import Compiler
from solexp.solidity.foundry.files import kept
from solexp.solidity.foundry.settings import Profile
from solexp.strategies.function import Function, wanted_of
from tests.oracles.projects import case_of

EXAMPLE = Path(__file__).parents[3] / "examples" / "foundry"


@pytest.fixture(scope="module")
def tasks() -> dict[str, Task]:
    return {task.id: task for task in Foundry(path=str(EXAMPLE)).tasks()}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return Path(shutil.copytree(EXAMPLE, tmp_path / "project"))


def _posed(folder: Path) -> tuple[dict[str, Task], list[str]]:
    told: list[str] = []
    benchmark = Foundry(path=str(folder))
    benchmark.malformed = told.append
    return {task.id: task for task in benchmark.tasks()}, told


def _fails(folder: Path, kind: type[UserError] = UserError) -> str:
    benchmark = Foundry(path=str(folder))
    benchmark.malformed = lambda _: None
    with pytest.raises(kind) as caught:
        benchmark.tasks()
    said = str(caught.value)
    assert "\n" not in said
    return said


def test_functions_that_tests_reach_are_tasks_and_overloads_are_several(
    tasks: dict[str, Task],
) -> None:
    assert set(tasks) == {
        "src/Ledger.sol:Ledger.deposit()",
        "src/Ledger.sol:Ledger.move(address[],uint256)",
        "src/Ledger.sol:Ledger._move(address,address,uint256)",
        "src/Shares.sol:Shares.partOf(uint256,uint256)",
    }


def test_shorter_functions_are_tasks_where_they_are_asked_for() -> None:
    short = Foundry(path=str(EXAMPLE), min_lines=3).tasks()
    assert "src/Ledger.sol:Ledger.move(address,uint256)" in {task.id for task in short}
    assert not any("collect" in task.id for task in short)


def test_each_task_has_the_tests_that_reach_it(tasks: dict[str, Task]) -> None:
    suites = {name.rpartition(".")[2]: task.suite for name, task in tasks.items()}
    assert suites["move(address[],uint256)"] == Suite(
        path="test/Ledger.t.sol", tests=("test_MoveToMany()",)
    )
    assert suites["_move(address,address,uint256)"] == Suite(
        path="test/Ledger.t.sol",
        tests=("test_MoveOfTooMuchReverts()", "test_MoveToMany()", "test_MoveToOne()"),
    )
    # Tests of Ledger reach it too, but a file is called like its own.
    assert suites["partOf(uint256,uint256)"] == Suite(
        path="test/Shares.t.sol",
        tests=("testFuzz_NoPartIsMoreThanTheWhole(uint128,uint256)", "test_PartsAreRoundedUp()"),
    )


def test_what_is_asked_is_the_documentation_the_inherited_one_too(tasks: dict[str, Task]) -> None:
    assert "rounded up" in tasks["src/Shares.sol:Shares.partOf(uint256,uint256)"].requirement
    assert "less the fee" in tasks["src/Ledger.sol:Ledger.deposit()"].requirement
    undocumented = tasks["src/Ledger.sol:Ledger._move(address,address,uint256)"]
    assert undocumented.requirement == ""
    assert undocumented.facts["documented"] is False


def test_the_context_is_what_the_function_invokes(tasks: dict[str, Task]) -> None:
    assert tasks["src/Ledger.sol:Ledger.deposit()"].context.splitlines() == [
        "error Nothing();",
        "event Deposited(address indexed by, uint256 credited);",
        "function partOf(uint256 amount, uint256 points) internal pure returns (uint256);",
    ]


def test_the_project_is_kept_without_what_nothing_needs(project: Path) -> None:
    (project / "src" / "Unused.sol").write_text("contract Unused {}")
    (project / "out").mkdir()
    (project / "out" / "Ledger.json").write_text("{}")
    posed, _ = _posed(project)
    found = next(iter(posed.values())).project
    assert isinstance(found, Project)
    assert set(kept(found.hash)) == {
        "foundry.toml",
        "src/Ledger.sol",
        "src/Shares.sol",
        "test/Ledger.t.sol",
        "test/Shares.t.sol",
        "test/Test.sol",
    }


def test_an_archive_gives_the_tasks_of_its_folder(tmp_path: Path, tasks: dict[str, Task]) -> None:
    archive = shutil.make_archive(str(tmp_path / "foundry"), "gztar", EXAMPLE.parent, "foundry")
    assert {task.id: task for task in Foundry(path=archive).tasks()} == tasks


def test_tasks_can_be_prompted_and_the_others_are_the_pool_of_examples() -> None:
    benchmark = Foundry(path=str(EXAMPLE), limit=1)
    (task,) = Function().expand(benchmark.tasks())
    asked = next(Function().dialogue(task)).prompt
    text = "\n".join(message.content for message in asked.messages)
    assert wanted_of(task).name in text
    assert task.reference not in text
    assert len(everything(benchmark)) == 4


def test_a_package_that_leaves_its_configuration_out_has_forges_defaults(
    project: Path,
) -> None:
    told = {task.id for task in Foundry(path=str(project)).tasks()}
    (project / "foundry.toml").unlink()
    assert {task.id for task in Foundry(path=str(project)).tasks()} == told != set()


def test_what_is_no_project_is_said_in_one_line(tmp_path: Path, project: Path) -> None:
    assert "benchmark.path" in _fails(tmp_path / "nowhere")
    assert "has no foundry.toml" in _fails(tmp_path)
    (project / "foundry.toml").write_text("[profile.default]\nsrc = \n")
    assert "line 2" in _fails(project, DataError)
    (project / "foundry.toml").write_text("[profile.default]\noptimizer_runs = 'many'\n")
    assert "optimizer_runs" in _fails(project, DataError)
    with pytest.raises(UserError, match="min_lines"):
        Foundry(min_lines=0)


def test_a_project_without_tests_and_one_whose_tests_reach_nothing_say_so(project: Path) -> None:
    (project / "test" / "Ledger.t.sol").unlink()
    (project / "test" / "Shares.t.sol").write_text(
        "pragma solidity ^0.8.20;\ncontract SharesTest { function test_Nothing() public {} }\n"
    )
    assert "reached by a test" in _fails(project)
    (project / "test" / "Shares.t.sol").unlink()
    assert "has no tests" in _fails(project)


def test_a_file_that_does_not_compile_loses_only_the_tests_that_import_it(project: Path) -> None:
    path = project / "src" / "Ledger.sol"
    path.write_text(path.read_text().replace("fees += fee;", "fees += fie;"))
    posed, told = _posed(project)
    assert set(posed) == {"src/Shares.sol:Shares.partOf(uint256,uint256)"}
    (line,) = told
    assert "test/Ledger.t.sol is left out" in line
    assert "src/Ledger.sol:34" in line
    (project / "test" / "Shares.t.sol").unlink()
    assert "src/Ledger.sol:34" in _fails(project)


def test_an_import_that_leads_nowhere_names_what_to_add(project: Path) -> None:
    path = project / "test" / "Ledger.t.sol"
    path.write_text(path.read_text().replace("./Test.sol", "forge-std/Test.sol"))
    posed, told = _posed(project)
    assert set(posed) == {"src/Shares.sol:Shares.partOf(uint256,uint256)"}
    assert "test/Ledger.t.sol imports 'forge-std/Test.sol'" in told[0]
    assert "forge-std/=" in told[0]


def test_pragmas_that_no_release_suits_name_both_files(project: Path) -> None:
    path = project / "test" / "Shares.t.sol"
    path.write_text(path.read_text().replace("^0.8.20", "^0.7.0"))
    posed, told = _posed(project)
    assert len(posed) == 4
    assert "src/Shares.sol (^0.8.20) and test/Shares.t.sol (^0.7.0)" in told[0]
    # What is left are the tests of Ledger.
    suite = posed["src/Shares.sol:Shares.partOf(uint256,uint256)"].suite
    assert isinstance(suite, Suite)
    assert suite.path == "test/Ledger.t.sol"


def test_one_project_may_need_several_compilers(project: Path) -> None:
    with (project / "foundry.toml").open("a") as config:
        config.write('evm_version = "shanghai"\n')
    (project / "src" / "Old.sol").write_text(
        "pragma solidity ^0.6.0;\ncontract Old {\n  function twice(uint256 a) public pure"
        " returns (uint256) {\n    uint256 b = a;\n    b = b + a;\n    return b;\n  }\n}\n"
    )
    (project / "test" / "Old.t.sol").write_text(
        'pragma solidity ^0.6.0;\nimport "../src/Old.sol";\ncontract OldTest {\n'
        "  function testTwice() public { require(new Old().twice(2) == 4); }\n}\n"
    )
    posed, told = _posed(project)
    assert not told
    old = posed["src/Old.sol:Old.twice(uint256)"]
    assert (old.compiler.version, old.compiler.evm_version) == ("0.6.12", "istanbul")
    assert posed["src/Ledger.sol:Ledger.deposit()"].compiler.version.startswith("0.8.")
    assert old.suite == Suite(path="test/Old.t.sol", tests=("testTwice()",))


def test_a_project_that_builds_only_by_way_of_yul_is_built_and_judged_so(project: Path) -> None:
    for folder in ("src", "test"):
        shutil.rmtree(project / folder)
        (project / folder).mkdir()
    names = [f"v{n}" for n in range(18)]
    lines = [
        *(f"uint256 {name} = x + {n};" for n, name in enumerate(names)),
        f"return {' + '.join(f'{name} * {name}' for name in names)};",
    ]
    (project / "src" / "Deep.sol").write_text(
        "pragma solidity ^0.8.20;\n"
        "contract Deep { function deep(uint256 x) external pure returns (uint256) {\n"
        + "\n".join(lines)
        + "\n} }\n"
    )
    expected = sum(n * n for n in range(1, 19))
    (project / "test" / "Deep.t.sol").write_text(
        'pragma solidity ^0.8.20;\nimport "../src/Deep.sol";\ncontract DeepTest {\n'
        f"function test_Deep() public {{ require(new Deep().deep(1) == {expected}); }} }}\n"
    )

    def outcomes(*oracles: Oracle) -> list[Outcome]:
        posed, told = _posed(project)
        (task,) = posed.values()
        assert not told
        wrong = task.reference.replace("x + 7", "x")
        with Compiler(max_workers=1) as compiler:
            case = case_of(compiler, task, task.reference, wrong)
            return [each.outcome for oracle in oracles for each in oracle.judge(case)]

    assert set(outcomes(Compile())) == {Outcome.COMPILE_ERROR}
    with (project / "foundry.toml").open("a") as config:
        config.write("via_ir = true\n")
    found = outcomes(Compile(), Tests(fuzz_runs=1))
    assert found == [Outcome.PASS, Outcome.PASS, Outcome.PASS, Outcome.FAIL]


def test_a_compiler_from_before_there_was_a_way_by_yul_is_not_asked_for_it() -> None:
    profile = Profile(solc="0.7.4", via_ir=True)
    assert profile.compiler({}, ()) == Profile(solc="0.7.4").compiler({}, ())
    later = Profile(solc="0.7.5", via_ir=True)
    assert later.compiler({}, ()) != Profile(solc="0.7.5").compiler({}, ())
