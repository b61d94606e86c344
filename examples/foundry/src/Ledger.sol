// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

import {Shares} from "./Shares.sol";

/// What a ledger does for others.
interface ILedger {
    /// @notice Credits what is sent with the call to the sender, less the fee.
    /// @return credited What the sender's balance grows by.
    function deposit() external payable returns (uint256 credited);
}

/// @notice Keeps balances for those who pay in.
contract Ledger is ILedger {
    using Shares for uint256;

    uint256 public constant FEE = 50;

    address public immutable owner = msg.sender;
    mapping(address => uint256) public balances;
    uint256 public fees;

    event Deposited(address indexed by, uint256 credited);
    event Moved(address indexed from, address indexed to, uint256 amount);

    error Nothing();
    error TooMuch(uint256 asked, uint256 there);

    /// @inheritdoc ILedger
    function deposit() external payable returns (uint256 credited) {
        if (msg.value == 0) revert Nothing();
        uint256 fee = msg.value.partOf(FEE);
        credited = msg.value - fee;
        fees += fee;
        balances[msg.sender] += credited;
        emit Deposited(msg.sender, credited);
    }

    /// @notice Moves an amount of the sender's balance to another account.
    /// @dev Reverts with TooMuch when the sender does not have that much.
    function move(address to, uint256 amount) external {
        _move(msg.sender, to, amount);
    }

    /// @notice Moves equal amounts to several accounts.
    function move(address[] calldata to, uint256 each) external {
        for (uint256 i = 0; i < to.length; i++) {
            _move(msg.sender, to[i], each);
        }
    }

    function _move(address from, address to, uint256 amount) internal {
        uint256 there = balances[from];
        if (amount > there) revert TooMuch(amount, there);
        balances[from] = there - amount;
        balances[to] += amount;
        emit Moved(from, to, amount);
    }

    /// @notice Pays all fees to the owner. No test calls this one.
    function collect() external {
        uint256 amount = fees;
        fees = 0;
        (bool sent, ) = owner.call{value: amount}("");
        require(sent, "not sent");
    }
}
