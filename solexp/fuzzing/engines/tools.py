"""Echidna and Medusa: how each is told what to do, and where it writes what it found."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from solexp.evm.machine import RICH
from solexp.evm.words import created_address
from solexp.fuzzing.engines.harness import DEPLOYMENT_GAS, Sent
from solexp.fuzzing.engines.recorded import echidna_sequence, medusa_sequence
from solexp.fuzzing.settings import Settings

CORPUS = "corpus"
CONTRACT = "Handler"
PREFIX = "property_"
_DEPLOYER = "0x" + "30000".rjust(40, "0")
_CALL_GAS = 60_000_000
"""For a call of the handler, which makes two."""
_LONGEST_S = 30 * 86_400
_MOST_BLOCKS = 216_000


class Tool(NamedTuple):
    """One of the programs, as its documentation describes it."""

    name: str
    config_name: str
    config: Callable[[Settings, Sequence[str], int], dict[str, Any]]
    """What its file of settings says, given senders and a seed."""
    arguments: tuple[str, ...]
    failed: tuple[str, ...]
    """Folders below the corpus with sequences that break the property, best first."""
    kept: tuple[str, ...]
    """... with sequences that reached something new."""
    endings: tuple[str, ...]
    read: Callable[[Path], list[Sent]]
    handler: str
    """Where the handler stands."""


def _echidna(settings: Settings, senders: Sequence[str], seed: int) -> dict[str, Any]:
    return {
        "testMode": "property",
        "prefix": PREFIX,
        "testLimit": settings.calls,
        "seqLen": settings.length,
        # Sequences are made small elsewhere.
        "shrinkLimit": 0,
        "stopOnFail": True,
        "seed": seed % (1 << 31),
        "workers": 1,
        "coverage": True,
        "corpusDir": CORPUS,
        "contractAddr": ECHIDNA.handler,
        "deployer": _DEPLOYER,
        "sender": list(senders),
        "balanceContract": 4 * RICH,
        "maxTimeDelay": _LONGEST_S,
        "maxBlockDelay": _MOST_BLOCKS,
        "testMaxGas": _CALL_GAS,
        "propMaxGas": _CALL_GAS,
        "codeSize": 0xFFFF_FFFF,
        "allowFFI": False,
        "disableSlither": True,
        "format": "text",
    }


def _medusa(settings: Settings, senders: Sequence[str], _seed: int) -> dict[str, Any]:
    off = {"enabled": False}
    return {
        "fuzzing": {
            "workers": 1,
            "workerResetLimit": 50,
            "timeout": 0,
            "testLimit": settings.calls,
            "shrinkLimit": 1,
            "callSequenceLength": settings.length,
            "corpusDirectory": CORPUS,
            "coverageEnabled": True,
            "targetContracts": [CONTRACT],
            "targetContractsBalances": [str(4 * RICH)],
            "constructorArgs": {},
            "deployerAddress": _DEPLOYER,
            "senderAddresses": list(senders),
            "blockNumberDelayMax": _MOST_BLOCKS,
            "blockTimestampDelayMax": _LONGEST_S,
            "blockGasLimit": 4 * DEPLOYMENT_GAS,
            "transactionGasLimit": _CALL_GAS,
            "testing": {
                "stopOnFailedTest": True,
                "stopOnFailedContractMatching": False,
                "stopOnNoTests": True,
                "testAllContracts": False,
                "traceAll": False,
                "assertionTesting": off,
                "propertyTesting": {"enabled": True, "testPrefixes": [PREFIX]},
                "optimizationTesting": off,
            },
            "chainConfig": {
                "codeSizeCheckDisabled": True,
                # The handler needs none, and code under test shall have none.
                "cheatCodes": {"cheatCodesEnabled": False, "enableFFI": False},
            },
        },
        "compilation": {
            "platform": "crytic-compile",
            "platformConfig": {"target": ".", "solcVersion": "", "exportDirectory": "", "args": []},
        },
        "logging": {"level": "info", "logDirectory": "", "noColor": True},
    }


ECHIDNA = Tool(
    name="echidna",
    config_name="echidna.yaml",
    config=_echidna,
    arguments=(".", "--contract", CONTRACT, "--config", "echidna.yaml"),
    failed=("reproducers", "reproducers-unshrunk"),
    kept=("coverage",),
    endings=(".txt", ".json"),
    read=echidna_sequence,
    handler="0x00a329c0648769a73afac7f9381e08fb43dbea72",
)
MEDUSA = Tool(
    name="medusa",
    config_name="medusa.json",
    config=_medusa,
    arguments=("fuzz", "--config", "medusa.json"),
    failed=("test_results",),
    kept=("call_sequences",),
    endings=(".json",),
    read=medusa_sequence,
    handler=created_address(_DEPLOYER, 0),
)
TOOLS = {tool.name: tool for tool in (ECHIDNA, MEDUSA)}


def written(tool: Tool, settings: Settings, senders: Sequence[str], seed: int) -> str:
    """The text of its settings; JSON is YAML."""
    return json.dumps(tool.config(settings, senders, seed), indent=1)
