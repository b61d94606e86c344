"""The machine on a user's own node: here another anvil, with other contracts on it."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import msgspec
import pytest

from solexp.core import HarnessError, UserError
from solexp.evm.anvil import AnvilMachine
from solexp.evm.anvils import anvil_for
from solexp.evm.compare import AXES, compare
from solexp.evm.node import NodeMachine
from solexp.evm.observe import observation
from solexp.evm.process import AnvilProcess
from solexp.evm.rpc import Connection
from solexp.evm.words import word
from tests.evm.boxes import BLOCK, BOX, OTHER, SENDER, TIME, call, program, put
from tests.evm.conftest import Make

ORACLE = "0x" + "0c" * 20
PRICED = """interface Oracle { function price() external view returns (uint256); }
contract Box {
    Oracle constant ORACLE = Oracle(address(bytes20(hex"%s")));
    uint256 public start;
    uint256 public last;
    address public owner;
    constructor(uint256 offset) payable { start = ORACLE.price() + offset; owner = msg.sender; }
    function put(uint256 amount) external returns (uint256) {
        last = ORACLE.price() * amount;
        return last;
    }
}""" % ORACLE[2:]  # noqa: UP031  # braces are Solidity's


@pytest.fixture(scope="module")
def node() -> Iterator[str]:
    """A node with a price oracle on it, whose price is 42 up to the block before the deployment, and 43 after."""
    process = AnvilProcess(
        anvil_for("london"),
        [
            *("--hardfork", "london", "--chain-id", "1", "--number", str(BLOCK - 2)),
            *("--timestamp", str(TIME - 100), "--accounts", "1", "--no-request-size-limit"),
        ],
        memory_mb=1024,
    )
    connection = Connection(process.url)
    ask = connection.ask
    ask("anvil_setCode", ORACLE, "0x60005460005260206000f3")
    ask("anvil_setStorageAt", ORACLE, "0x0", "0x" + word(42))
    # What is set counts as of the last block, so that one needs a successor first.
    ask("anvil_mine", "0x2")
    ask("anvil_setStorageAt", ORACLE, "0x0", "0x" + word(43))
    ask("anvil_mine", "0x5")
    yield process.url
    connection.close()
    process.close()


def test_a_contract_meets_the_contracts_of_its_chain_at_the_recorded_block(
    node: str, subject: Make
) -> None:
    priced = subject(PRICED)
    history = program(put(2, at=10), put(3, at=11, sender=OTHER))
    deployment = msgspec.structs.replace(
        history.deployment, constructor_args="0x" + word(8), value=5
    )
    history = msgspec.structs.replace(history, deployment=deployment)
    plan = observation(history, priced.contract)
    [alone] = AnvilMachine().run(history, [priced], plan)
    assert alone.address is None
    one, two = NodeMachine(node).run(history, [priced, priced], plan)
    assert one == two
    assert [int(result.output, 16) for result in one.calls] == [84, 126]
    state = one.checkpoints[-1]
    assert int(state.storage["start"], 16) == 50
    assert int(state.storage["last"], 16) == 126
    assert state.storage["owner"].endswith(SENDER[2:])
    assert state.balance == 5
    [later] = NodeMachine(node, block="latest").run(history, [priced], plan)
    assert int(later.calls[0].output, 16) == 86


def test_the_node_stays_as_it_was(node: str, subject: Make) -> None:
    connection = Connection(node)
    before = connection.ask("eth_getBlockByNumber", "latest", False)
    NodeMachine(node).run(program(), [subject(BOX)], observation(program(), subject(BOX).contract))
    assert connection.ask("eth_getBlockByNumber", "latest", False) == before
    assert connection.ask("eth_getTransactionCount", SENDER, "latest") == "0x0"
    connection.close()


@pytest.mark.parametrize("every", [None, 1])
def test_it_makes_the_traces_of_the_private_machine(
    node: str, subject: Make, every: int | None
) -> None:
    box = subject(BOX)
    calls = [put(n + 1, at=5 * n + 1) for n in range(5)] + [call("take(uint256)", 99, at=40)]
    history = program(*calls)
    plan = observation(history, box.contract, checkpoint_every=every, getters="always")
    [private] = AnvilMachine().run(history, [box], plan)
    [own] = NodeMachine(node).run(history, [box], plan)
    assert not any(compare(private, own, history).counts[axis] for axis in AXES)
    assert [r.gas_used for r in own.calls] == [r.gas_used for r in private.calls]
    assert [p.after for p in own.checkpoints] == [p.after for p in private.checkpoints]


def test_code_above_the_limit_and_reverting_constructors_do_not_deploy(
    node: str, subject: Make
) -> None:
    empty = "constructor() payable {}"
    large = subject(BOX.replace(empty, "constructor() { assembly { return(0, 24577) } }"))
    stubborn = subject(BOX.replace(empty, 'constructor() { revert("no"); }'))
    history = program()
    plan = observation(history, subject(BOX).contract)
    fine, first, second = NodeMachine(node).run(history, [subject(BOX), large, stubborn], plan)
    assert fine.address is not None
    assert first.address is None
    assert first.deployment.error == "runtime code of 24577 bytes is over the limit of 24576"
    assert second.address is None


def test_what_is_kept_depends_on_the_chain_and_the_block_it_starts_from(node: str) -> None:
    fixed, later = NodeMachine(node, block=BLOCK - 1), NodeMachine(node, block=BLOCK)
    connection = Connection(node)
    block = connection.ask("eth_getBlockByNumber", hex(BLOCK - 1), False)
    connection.close()
    assert fixed.fingerprint()["chain"] == (1, block["hash"])
    assert fixed.fingerprint() != later.fingerprint()
    assert fixed.reproducible
    for block in ("latest", "pending", "safe", "finalized"):
        assert not NodeMachine(node, block=block).reproducible
    assert not NodeMachine("http://127.0.0.1:9", block=5).reproducible
    assert not NodeMachine(node, block=BLOCK + 10**6).reproducible


def test_a_node_that_is_not_there_is_named_in_one_line(subject: Make) -> None:
    history = program()
    plan = observation(history, subject(BOX).contract)
    with pytest.raises(UserError, match=r"no node answers at http://127\.0\.0\.1:9"):
        NodeMachine("http://127.0.0.1:9").run(history, [subject(BOX)], plan)
    with pytest.raises(UserError, match=r"^oracle\.replay\.machine\.rpc_url: must start with http"):
        NodeMachine("localhost:8545")


def test_a_node_that_is_late_before_anything_runs_is_no_subjects_fault(subject: Make) -> None:
    history = program()
    box = subject(BOX)
    plan = observation(history, box.contract)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        machine = NodeMachine(f"http://127.0.0.1:{silent.getsockname()[1]}", timeout_s=0.2)
        with pytest.raises(HarnessError, match="no answer from the node"):
            machine.run(history, [box], plan)


def test_a_node_behind_the_recorded_block_is_refused(node: str, subject: Make) -> None:
    history = program()
    ahead = msgspec.structs.replace(history.deployment, block_number=BLOCK + 1000)
    later = msgspec.structs.replace(history, deployment=ahead, calls=())
    with pytest.raises(UserError, match="is at block"):
        NodeMachine(node).run(later, [subject(BOX)], observation(later, subject(BOX).contract))
