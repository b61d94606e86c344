"""Reading the authors' own release layout.

    dataset/benchmark_info.json                                            which contracts there are
    dataset/prompt/ID.json                                                 prompt, ground truth, target's name
    dataset/source_code/ID.sol                                             the verified source
    results/transaction_replay/Contract_Info/ID.json                       compiler, optimiser, constructor arguments
    results/transaction_replay/Tx_History/ID_external.json                 top-level transactions, all of them
    results/transaction_replay/Transaction_Trace/test_case_N/ID/0.json     ... or the first N

ID is the deployed contract's name, ``_`` and its address. What is malformed is left out and reported; the rest is used.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from solexp.benchmarks.fetching import Problem
from solexp.benchmarks.solcontracteval.entry import Entry, Transaction, succeeded
from solexp.core import UserError

MOST_TRANSACTIONS = 1000
"""The paper replays the first 1,000 transactions."""

_REPLAY = Path("results/transaction_replay")
_ID = re.compile(r"(?P<name>[\w$]+)_(?P<address>0x[0-9a-f]{40})")
_HEX = re.compile(r"0x(?:[0-9a-fA-F]{2})*")
_ADDRESS = re.compile(r"0x[0-9a-fA-F]{40}")
_HASH = re.compile(r"0x[0-9a-fA-F]{64}")
_SPACE = re.compile(r"[\s,]*")


class _Prompt(msgspec.Struct):
    contract_name: str
    prompt: str
    ground_truth: str
    function_sum: str | int | None = None

    def functions(self) -> int | None:
        """The count of functions; the release writes it as text."""
        return int(self.function_sum) if str(self.function_sum).isdecimal() else None  # type: ignore[arg-type]


class _Info(msgspec.Struct):
    name: str
    address: str
    compiler: str = msgspec.field(name="Compiler Version")
    optimiser: str = msgspec.field(name="Optimization Enabled")
    arguments: str = msgspec.field(name="constructor_argument", default="")


Record = TypeVar("Record", _Prompt, _Info)


class Release:
    """A release folder. ``problems`` grows while entries are read."""

    def __init__(self, folder: Path) -> None:
        """Raises UserError when the folder is no release."""
        self.folder = folder
        self.problems: list[Problem] = []
        if not (folder / "dataset" / "prompt").is_dir():
            raise UserError(
                f"{folder} is no SolContractEval release: it has no dataset/prompt; give the folder that "
                "holds dataset/ and results/"
            )

    def entries(self) -> Iterator[Entry]:
        """Every contract that is whole enough to make a task, in the order of benchmark_info.json, then by name."""
        for name in self._ids():
            entry = self._entry(name)
            if entry is not None:
                yield entry

    def problem(self, file: Path, message: str, line: int | None = None) -> None:
        """Reports something malformed in ``file``, a path within the release."""
        self.problems.append(Problem(file.as_posix(), line, message))

    def _ids(self) -> list[str]:
        present = []
        for path in sorted((self.folder / "dataset" / "prompt").glob("*.json")):
            if _ID.fullmatch(path.stem):
                present.append(path.stem)
            else:
                self.problem(
                    path.relative_to(self.folder), "the file's name is not NAME_0xADDRESS.json"
                )
        listed = self._listed()
        for name in listed:
            if name not in present:
                file = Path("dataset/benchmark_info.json")
                self.problem(file, f"lists {name}, which has no file in dataset/prompt")
        order = {name: index for index, name in enumerate(listed)}
        return sorted(present, key=lambda name: (order.get(name, len(order)), name))

    def _listed(self) -> list[str]:
        file = Path("dataset/benchmark_info.json")
        if not (self.folder / file).exists():
            self.problem(file, "is missing; the files in dataset/prompt are taken instead")
            return []
        listed = []
        for line, row in self._rows(file):
            name, address = row.get("name"), row.get("address")
            if isinstance(name, str) and isinstance(address, str):
                listed.append(f"{name}_{address.lower()}")
            else:
                self.problem(file, "the row has no name and address", line)
        return listed

    def _entry(self, name: str) -> Entry | None:
        prompt_file = Path(f"dataset/prompt/{name}.json")
        info_file = _REPLAY / "Contract_Info" / f"{name}.json"
        prompt, info = self._record(prompt_file, _Prompt), self._record(info_file, _Info)
        source = self._text(Path(f"dataset/source_code/{name}.sol"))
        if prompt is None or info is None or source is None:
            return None
        match = _ID.fullmatch(name)
        assert match is not None
        stated = f"{info.name}_{info.address.lower()}"
        arguments = info.arguments.lower().removeprefix("0x")
        if stated != name:
            self.problem(info_file, f"is about {stated}")
            return None
        if not _HEX.fullmatch("0x" + arguments):
            self.problem(info_file, "constructor_argument is no hex")
            return None
        history, transactions = self._history(name, match["address"])
        return Entry(
            address=match["address"],
            deployed_contract=match["name"],
            target_contract=prompt.contract_name,
            compiler=info.compiler,
            optimiser=info.optimiser,
            constructor_arguments=arguments,
            function_sum=prompt.functions(),
            prompt=_newlines(prompt.prompt),
            ground_truth=_newlines(prompt.ground_truth),
            source=_newlines(source),
            history=history,
            transactions=transactions,
        )

    def _history(self, name: str, address: str) -> tuple[str, tuple[Transaction, ...]]:
        """How much of the history there is (``full``, a count or ``none``), and its first transactions."""
        candidates = [("full", _REPLAY / "Tx_History" / f"{name}_external.json")]
        candidates += [
            (str(count), _REPLAY / "Transaction_Trace" / f"test_case_{count}" / name / "0.json")
            for count in (1000, 500, 100)
        ]
        for history, file in candidates:
            path = self.folder / file
            # Some of the release's history files are empty, or hold just ``null``.
            if not path.is_file() or path.read_bytes()[:8].strip() in (b"", b"null", b"[]"):
                continue
            rows = []
            for line, row in self._rows(file):
                try:
                    rows.append(_transaction(row, address))
                except (ValueError, TypeError) as error:
                    self.problem(file, f"transaction left out: {error}", line)
            rows.sort(key=lambda pair: pair[0])
            if rows:
                found = tuple(row for _, row in rows[:MOST_TRANSACTIONS])
                if found[0].to is not None:
                    self.problem(file, "the first transaction does not create the contract")
                return history, found
        return "none", ()

    def _text(self, file: Path) -> str | None:
        try:
            return (self.folder / file).read_text("utf-8")
        except FileNotFoundError:
            self.problem(file, "is missing")
        except (UnicodeDecodeError, OSError) as error:
            self.problem(file, str(error))
        return None

    def _record(self, file: Path, kind: type[Record]) -> Record | None:
        text = self._text(file)
        if text is None:
            return None
        try:
            return msgspec.convert(json.loads(text), kind)
        except json.JSONDecodeError as error:
            self.problem(file, f"no JSON: {error.msg}", error.lineno)
        except msgspec.ValidationError as error:
            self.problem(file, str(error))
        return None

    def _rows(self, file: Path) -> Iterator[tuple[int, dict[str, Any]]]:
        """The objects of a JSON array, each with the line it starts on."""
        text = self._text(file)
        if text is None:
            return
        decoder = json.JSONDecoder()
        position = _SPACE.match(text, 0).end()  # type: ignore[union-attr]
        if text[position : position + 1] != "[":
            self.problem(file, "is no JSON array", 1)
            return
        line, counted = 1, 0
        position = _SPACE.match(text, position + 1).end()  # type: ignore[union-attr]
        while text[position : position + 1] != "]":
            line, counted = line + text.count("\n", counted, position), position
            try:
                value, end = decoder.raw_decode(text, position)
            except json.JSONDecodeError as error:
                self.problem(file, f"no JSON from here on: {error.msg}", error.lineno)
                return
            if isinstance(value, dict):
                yield line, value
            else:
                self.problem(file, "the row is no JSON object", line)
            position = _SPACE.match(text, end).end()  # type: ignore[union-attr]


def _newlines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _transaction(row: dict[str, Any], address: str) -> tuple[tuple[int, int], Transaction]:
    """A transaction as the explorer words it, and its place on the chain. Raises ValueError where it is malformed."""

    def number(key: str) -> int:
        value = str(row.get(key, "")).strip()
        if not value.isdecimal():
            raise ValueError(f"'{key}' is {value!r}, no number")
        return int(value)

    def text(key: str, shape: re.Pattern[str]) -> str:
        value = str(row.get(key, "")).strip()
        if not shape.fullmatch(value):
            raise ValueError(f"'{key}' is {value[:80]!r}")
        return value.lower()

    receipt = str(row.get("txreceipt_status") or "").strip()
    if receipt not in ("", "0", "1"):
        raise ValueError(f"'txreceipt_status' is {receipt!r}")
    creates = not row.get("to")
    to = None if creates else text("to", _ADDRESS)
    created = text("contractAddress", _ADDRESS) if creates else None
    if creates and created != address:
        raise ValueError(f"it creates {created}, not {address}")
    return (number("blockNumber"), number("transactionIndex")), Transaction(
        hash=text("hash", _HASH),
        block_number=number("blockNumber"),
        timestamp=number("timeStamp"),
        nonce=number("nonce"),
        sender=text("from", _ADDRESS),
        to=to,
        value=number("value"),
        gas=number("gas"),
        gas_used=number("gasUsed"),
        status=succeeded(int(receipt) if receipt else None, number("isError")),
        input=text("input", _HEX),
        created=created,
    )
