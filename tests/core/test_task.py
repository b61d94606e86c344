"""Tasks and the hashes that their answers are kept under."""

from __future__ import annotations

import msgspec

from solexp.core import CompilerSettings, Project, Suite, Target, Task, Workspace
from solexp.core.hashing import content_hash


def _task() -> Task:
    return Task(
        id="a",
        benchmark="made",
        compiler=CompilerSettings(version="0.8.17"),
        sources={"A.sol": "contract A {}"},
        target=Target(path="A.sol", contract="A", start=0, end=13),
        framework="",
    )


def test_a_task_of_no_project_keeps_the_hash_it_had_before_there_were_projects() -> None:
    assert (
        _task().content_hash == "2088a52eef0ffcc96cf5e69f71f6184535cd4b1610ab52d1813a201df6cc011b"
    )
    encoded = msgspec.json.encode(_task())
    assert b'"project"' not in encoded
    assert b'"suite"' not in encoded
    assert b'"workspace"' not in encoded
    assert b'"via_ir"' not in encoded


def test_a_tasks_project_and_tests_are_part_of_its_hash() -> None:
    task = _task()
    projects = [Project(name="p", hash=letter * 64) for letter in "ab"]
    hashes = {msgspec.structs.replace(task, project=each).content_hash for each in projects}
    suite = Suite(path="A.t.sol", tests=("testA()",))
    hashes |= {msgspec.structs.replace(task, suite=suite).content_hash, task.content_hash}
    assert len(hashes) == 4


def test_a_task_outlives_being_written_down() -> None:
    task = msgspec.structs.replace(
        _task(),
        suite=Suite(path="A.t.sol", tests=("testA()",)),
        workspace=Workspace(files={"foundry.toml": ""}, canaries=("secret",)),
        compiler=CompilerSettings(version="0.8.17", via_ir=True),
    )
    for each in (_task(), task):
        read = msgspec.json.decode(msgspec.json.encode(each), type=Task)
        assert content_hash(read) == each.content_hash
