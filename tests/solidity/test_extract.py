from __future__ import annotations

import gzip
import json
import time
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solexp.core import FinishReason, NoCode
from solexp.llm.replies import recorded_models, recorded_replies
from solexp.solidity.extract import extract_contract
from tests.growth import growth
from tests.solidity.replies import CODE, OTHER, OUTLINE, REPLIES, Reply, fenced


@pytest.mark.parametrize("reply", REPLIES, ids=lambda reply: reply.what)
def test_a_reply_gives_its_code_or_the_reason_why_not(reply: Reply) -> None:
    found = extract_contract(reply.text, "Vault", finish=reply.finish)
    assert (found.code, found.no_code) == (reply.code, reply.no_code)


def test_what_had_to_be_done_is_noted() -> None:
    def notes(text: str) -> tuple[str, ...]:
        return extract_contract(text, "Vault").notes

    assert notes(fenced(CODE)) == ()
    assert notes(f"<think>Hm.</think>{CODE}") == ("reasoning left out",)
    assert notes(fenced(OUTLINE) + fenced(CODE)) == ("defined 2 times",)
    assert notes(CODE.replace("Vault", "VAULT")) == ("named VAULT",)
    assert notes(OTHER) == ("defines Ownable",)
    assert notes(fenced(CODE[:-1])) == ("the contract's braces do not close",)


def test_how_the_code_was_put_together_is_noted() -> None:
    split = "```\ncontract Vault {\nuint x;\n```\n```\nuint y;\n}\n```"
    assert extract_contract(split, "Vault").notes == ("joined over fences",)
    assert extract_contract("```diff\n+contract Vault {\n+}\n```", "Vault").notes == ("a diff",)


prose = st.text(
    st.characters(exclude_characters="{}", exclude_categories=["Cs", "Cc"]), max_size=80
).filter(lambda text: "contract" not in text.lower() and "think" not in text.lower())
surroundings = st.lists(
    st.one_of(
        prose.map(lambda text: text + "\n"),
        st.just(fenced(OTHER)),
        st.just(fenced(OUTLINE)),
        st.just(fenced("{}", "json")),
        st.just("```\n"),
    ),
    max_size=4,
).map("".join)


@given(surroundings, surroundings, st.sampled_from(["```", "~~~~"]))
def test_a_fenced_contract_is_found_whatever_surrounds_it(
    before: str, after: str, fence: str
) -> None:
    reply = f"{before}\n{fence}solidity\n{CODE}\n{fence}\n{after}"
    assert extract_contract(reply, "Vault").code == CODE


@given(st.text(max_size=300), st.sampled_from(list(FinishReason)))
def test_any_text_gives_code_or_a_reason(text: str, finish: FinishReason) -> None:
    found = extract_contract(text, "Vault", finish=finish)
    assert (found.code is None) != (found.no_code is None)


@given(st.text(st.characters(categories=["Cs", "Ll"]), max_size=20), st.booleans())
def test_code_can_be_written_to_a_file_whatever_a_reply_holds(text: str, as_json: bool) -> None:
    code = f"contract Vault {{ // {text}\n}}"
    found = extract_contract(json.dumps({"code": code}) if as_json else code, "Vault").code
    assert found is not None
    assert len(found.encode()) >= len("contract Vault { // \n}")


@given(st.integers(0, len(CODE) - 1))
def test_a_contract_cut_off_anywhere_gives_no_code(length: int) -> None:
    assert extract_contract("```solidity\n" + CODE[:length], "Vault").code is None


fragments = st.lists(
    st.sampled_from(
        ["{", "}", '"', "'", "/*", "*/", "//", "\n", "```\n", "\\", "contract Vault {", "a"]
    ),
    max_size=40,
).map("".join)


@given(fragments)
def test_code_is_a_part_of_the_reply_that_starts_with_the_definition(text: str) -> None:
    found = extract_contract(text, "Vault")
    if found.code is not None and not any("fence" in note for note in found.notes):
        assert found.code in text
        assert found.code.startswith("contract Vault")


def test_extracting_from_extracted_code_changes_nothing() -> None:
    for reply in REPLIES:
        code = extract_contract(reply.text, "Vault", finish=reply.finish).code
        closed = code is not None and code.count("{") == code.count("}")
        if code is not None and closed:
            assert extract_contract(code, "Vault").code == code


@pytest.mark.parametrize(
    "text",
    [
        "contract Vault {" * 20_000,
        "contract Vault {" * 2_000 + "}" * 2_000,
        "contract A {" + "contract Vault {" * 20_000 + "}" * 20_001,
        "library Vault is " * 50_000,
        "contract Vault { }" * 5_000,
        "contract Vault is A(" + "(" * 50_000,
        "contract Vault is " + "A, " * 50_000,
        "[" * 200_000,
        "{" * 200_000 + "}" * 200_000,
        "```\n" * 100_000,
        "/*" * 100_000,
        '\\"' * 100_000,
        "abstract " * 100_000 + "contract Vault",
        "image/png;base64," + "iVBORw0KGgo" * 100_000,
    ],
    ids=lambda text: text[:20],
)
def test_a_reply_that_runs_in_circles_takes_no_time(text: str) -> None:
    started = time.perf_counter()
    extract_contract(text, "Vault")
    assert time.perf_counter() - started < 30


@pytest.mark.parametrize(
    ("start", "piece", "end"),
    [
        ("", "contract Vault{", "}"),
        ("", "library Vault is ", ""),
        ("", "contract Vault is A(", ""),
        ("contract Vault is A(", "(", ""),
        ("", "contract Vault{}", ""),
        ("", "contract Vault{}} function f() public ", ""),
        ("", "```\ncontract Vault{}\n", ""),
        ("```\ncontract Vault{\n", "```\n```\n{f;\n", ""),
        ("", "contract Vault{\n```\n", "}"),
        ("", '```json\n{"a":"contract Vault{}"}\n```\n', ""),
        ("", "src/*\ncontract Vault{}\n", ""),
        ("contract Vault{function f(){}", "function ", "}"),
        ("contract Vault{} contract Vault{ //", "/", "\n}"),
        ("contract Vault", " ", "{"),
        ("", "+contract Vault{\n", ""),
        ("  ", " ", "+"),
    ],
)
def test_the_time_grows_no_faster_than_the_reply(start: str, piece: str, end: str) -> None:
    def made(chars: int) -> str:
        count = chars // len(piece + end)
        return start + piece * count + end * count

    assert growth(made, lambda text: extract_contract(text, "Vault"), 25_000) < 25


# Every one of these was read: the model described the contract, asked back, wrote another one, or was cut off.
NO_CODE = {
    "claude-3-7-sonnet-20250219": {},
    "deepseek-reasoner": {"empty": 1},
    "gemini-2.0-flash-exp": {"empty": 30, "truncated": 21, "nothing_found": 4},
    "gpt-3.5-turbo": {"nothing_found": 247},
    "gpt-4o": {"truncated": 1, "nothing_found": 1},
    "o4-mini": {"nothing_found": 1},
    "qwen2.5-coder-32b-instruct": {"truncated": 24},
}


def test_of_the_released_outputs_only_those_without_the_contract_give_no_code(
    data_home: Path,
) -> None:
    folder = data_home / "solcontracteval"
    with gzip.open(folder / "tasks.jsonl.gz") as file:
        lines = [json.loads(line) for line in file]
    names = {line["task_id"]: line["target_contract"] for line in lines}
    seconds, reasons = [], {}
    for model in recorded_models(folder / "model_outputs.parquet"):
        counts: Counter[NoCode] = Counter()
        for (task_id, _), text in recorded_replies(folder / "model_outputs.parquet", model).items():
            started = time.perf_counter()
            found = extract_contract(text, names[task_id])
            seconds.append(time.perf_counter() - started)
            if found.no_code is not None:
                counts[found.no_code] += 1
        reasons[model] = {reason.value: count for reason, count in counts.items()}
    assert reasons == NO_CODE
    # 0.45 ms on a loaded core; the bound is wide since machines differ.
    assert sorted(seconds)[len(seconds) // 2] < 0.05
