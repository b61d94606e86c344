// SPDX-License-Identifier: UNLICENSED
pragma solidity >=0.8.12;

/*<ABOUT>*/
contract /*<NAME>*/ {
    Vm private constant vm = Vm(address(uint160(uint256(keccak256("hevm cheat code")))));

/*<ACCOUNTS>*/

    function test_original() external {
        _run({candidate: false});
    }

    function test_candidate() external {
        _run({candidate: true});
    }

    function _run(bool candidate) private {
/*<STEPS>*/
    }

    // ── Making transactions ──────────────────────────────────────────────────────────────────────

    uint256 private constant MIX = 0x9E3779B97F4A7C15F39CC0605CEDC8341082276BF3A27251F86C6A11D0C18E95;

    function _at(uint256 number, uint256 time) private {
        vm.roll(number);
        vm.warp(time);
        /*<RANDOM>*/
    }

    function _deploy(address from, uint256 value, bytes memory code) private returns (address made) {
        vm.prank(from, from);
        assembly {
            made := create(value, add(code, 32), mload(code))
        }
    }

    function _call(address from, address to, uint256 value, uint256 gas, bytes memory data)
        private
        returns (bool ok, bytes memory out)
    {
        vm.prank(from, from);
        (ok, out) = to.call{value: value, gas: gas}(data);
    }

    // ── Comparing ────────────────────────────────────────────────────────────────────────────────

    function _ends(bool ok, bytes memory out, bool expected, string memory what) private pure {
        if (ok == expected) return;
        if (expected) _fail(what, "success", out.length == 0 ? "failure" : string.concat("failure (", _reason(out), ")"));
        _fail(what, "failure", "success");
    }

    function _same(bytes memory got, bytes memory expected, string memory what) private pure {
        if (keccak256(got) != keccak256(expected)) _fail(what, _shown(expected), _shown(got));
    }

    function _equal(uint256 got, uint256 expected, string memory what) private pure {
        if (got != expected) _fail(what, _number(expected), _number(got));
    }

    function _count(Vm.Log[] memory logs, uint256 expected, string memory what) private pure {
        if (logs.length != expected) _fail(what, _number(expected), _number(logs.length));
    }

    function _event(Vm.Log memory log, address emitter, bytes memory topics, bytes memory data, string memory what)
        private
        pure
    {
        if (log.emitter != emitter) _fail(what, vm.toString(emitter), vm.toString(log.emitter));
        bytes memory got = abi.encodePacked(log.topics);
        if (keccak256(got) != keccak256(topics)) {
            _fail(what, string.concat("topics ", vm.toString(topics)), string.concat("topics ", vm.toString(got)));
        }
        if (keccak256(log.data) != keccak256(data)) {
            _fail(what, string.concat("data ", vm.toString(data)), string.concat("data ", vm.toString(log.data)));
        }
    }

    function _word(address target, uint256 slot, uint256 offset, uint256 size, bool signed)
        private
        view
        returns (uint256 word)
    {
        word = uint256(vm.load(target, bytes32(slot))) >> (8 * offset);
        if (size == 32) return word;
        word &= (1 << (8 * size)) - 1;
        if (signed && word >> (8 * size - 1) == 1) word |= type(uint256).max << (8 * size);
    }

    // ── Telling ──────────────────────────────────────────────────────────────────────────────────

    function _fail(string memory what, string memory expected, string memory got) private pure {
        revert(string.concat(what, ": expected ", expected, ", got ", got));
    }

    function _shown(bytes memory data) private pure returns (string memory) {
        return data.length == 32 ? _number(abi.decode(data, (uint256))) : _reason(data);
    }

    function _number(uint256 value) private pure returns (string memory) {
        return value < 1 << 64 ? vm.toString(value) : vm.toString(bytes32(value));
    }

    function _reason(bytes memory data) private pure returns (string memory) {
        if (data.length >= 36) {
            bytes memory rest = new bytes(data.length - 4);
            for (uint256 i = 0; i < rest.length; i++) rest[i] = data[i + 4];
            if (bytes4(data) == 0x08c379a0) return string.concat("revert '", abi.decode(rest, (string)), "'");
            if (bytes4(data) == 0x4e487b71) return string.concat("panic ", _number(abi.decode(rest, (uint256))));
        }
        return vm.toString(data);
    }
}

interface Vm {
    struct Log {
        bytes32[] topics;
        bytes data;
        address emitter;
    }

    function chainId(uint256) external;
    function coinbase(address) external;
    function deal(address, uint256) external;
    function difficulty(uint256) external;
    function etch(address, bytes calldata) external;
    function fee(uint256) external;
    function getRecordedLogs() external returns (Log[] memory);
    function load(address, bytes32) external view returns (bytes32);
    function prank(address, address) external;
    function prevrandao(bytes32) external;
    function recordLogs() external;
    function roll(uint256) external;
    function setEvmVersion(string calldata) external;
    function setNonce(address, uint64) external;
    function toString(address) external pure returns (string memory);
    function toString(bytes calldata) external pure returns (string memory);
    function toString(bytes32) external pure returns (string memory);
    function toString(uint256) external pure returns (string memory);
    function warp(uint256) external;
}

/*<CODES>*/
