// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

import {Shares} from "../src/Shares.sol";
import {Test} from "./Test.sol";

contract SharesTest is Test {
    using Shares for uint256;

    function test_PartsAreRoundedUp() public pure {
        assertEq(uint256(10_000).partOf(50), 50);
        assertEq(uint256(1).partOf(50), 1);
        assertEq(uint256(0).partOf(50), 0);
    }

    function testFuzz_NoPartIsMoreThanTheWhole(uint128 amount, uint256 points) public pure {
        points %= Shares.WHOLE + 1;
        uint256 part = uint256(amount).partOf(points);
        require(part <= amount, "more than the whole");
        require(part * Shares.WHOLE >= uint256(amount) * points, "rounded down");
    }
}
