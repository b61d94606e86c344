// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

/// The one cheat code that these tests use.
interface Vm {
    function prank(address sender) external;
}

/// @notice As much of a test base as these tests need; a project of yours may use forge-std.
abstract contract Test {
    Vm internal constant vm = Vm(address(uint160(uint256(keccak256("hevm cheat code")))));

    function assertEq(uint256 got, uint256 expected) internal pure {
        require(got == expected, "not equal");
    }
}
