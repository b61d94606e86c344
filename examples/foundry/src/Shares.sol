// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

/// @notice Parts of amounts, in basis points.
library Shares {
    uint256 internal constant WHOLE = 10_000;

    /// @notice The part of an amount that some basis points are, rounded up.
    /// @param points At most 10,000; reverts for more.
    function partOf(uint256 amount, uint256 points) internal pure returns (uint256) {
        require(points <= WHOLE, "more than the whole");
        uint256 product = amount * points;
        uint256 part = product / WHOLE;
        if (product % WHOLE != 0) part += 1;
        return part;
    }
}
