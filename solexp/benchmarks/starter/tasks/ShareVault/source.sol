// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

/// @title Division with a stated rounding
library Ratio {
    /// @notice Returns `a * b / c`, rounded down.
    function down(uint256 a, uint256 b, uint256 c) internal pure returns (uint256) {
        return (a * b) / c;
    }

    /// @notice Returns `a * b / c`, rounded up.
    function up(uint256 a, uint256 b, uint256 c) internal pure returns (uint256) {
        uint256 product = a * b;
        return product / c + (product % c == 0 ? 0 : 1);
    }
}

/// @title Shares that can be handed on
/// @notice A ledger of shares; how they come into being is up to the contract that inherits it.
abstract contract ShareLedger {
    /// @notice Shares in existence.
    uint256 public totalShares;
    /// @notice Shares held by each account.
    mapping(address => uint256) public sharesOf;

    /// @notice `shares` went from `from` to `to`; the zero address stands for their making and unmaking.
    event SharesMoved(address indexed from, address indexed to, uint256 shares);

    error TooFewShares(address account, uint256 held, uint256 wanted);

    /// @notice Hands `shares` of the caller to `to`.
    function moveShares(address to, uint256 shares) external {
        _burnShares(msg.sender, shares);
        _mintShares(to, shares);
    }

    function _mintShares(address to, uint256 shares) internal {
        totalShares += shares;
        sharesOf[to] += shares;
        emit SharesMoved(address(0), to, shares);
    }

    function _burnShares(address from, uint256 shares) internal {
        uint256 held = sharesOf[from];
        if (held < shares) revert TooFewShares(from, held, shares);
        unchecked {
            sharesOf[from] = held - shares;
            totalShares -= shares;
        }
        emit SharesMoved(from, address(0), shares);
    }
}

/// @title A lock against calling back in
abstract contract OneAtATime {
    bool private busy;

    error Busy();

    modifier alone() {
        if (busy) revert Busy();
        busy = true;
        _;
        busy = false;
    }
}

/// @title Share vault: ether in, shares out
/// @notice Depositors share a pot of ether. Whoever feeds the pot makes every share worth more. A leaving fee stays in
/// the pot, for those who stay. The keeper can close the vault for deposits, never for withdrawals.
contract ShareVault is ShareLedger, OneAtATime {
    using Ratio for uint256;

    /// @notice Leaving fees above this many basis points are refused.
    uint256 public constant HIGHEST_FEE = 500;
    /// @notice Shares of the very first deposit that nobody owns, so that the price of a share cannot be driven up.
    uint256 public constant DEAD_SHARES = 1000;
    /// @notice Who sets fee and limit.
    address public immutable keeper;
    /// @notice The ether in the pot, in wei; ether that arrives unasked is not counted.
    uint256 public pot;
    /// @notice The leaving fee in basis points.
    uint256 public leavingFee;
    /// @notice The pot may not pass this many wei by deposits.
    uint256 public depositLimit;
    /// @notice Whether deposits are closed.
    bool public closed;
    /// @notice The block of each account's last deposit.
    mapping(address => uint256) public lastDepositBlock;
    /// @dev Number of deposits so far; kept for auditors, read by no function.
    uint256 private depositCount;

    /// @notice `account` put `amount` wei in for `shares`.
    event Deposited(address indexed account, uint256 amount, uint256 shares);
    /// @notice `account` gave `shares` back for `amount` wei; `fee` wei stayed in the pot.
    event Withdrawn(address indexed account, uint256 shares, uint256 amount, uint256 fee);
    /// @notice `account` fed the pot with `amount` wei.
    event Fed(address indexed account, uint256 amount);
    /// @notice The rules changed.
    event RulesSet(uint256 leavingFee, uint256 depositLimit, bool closed);

    /// @notice Only the keeper may do this.
    error KeeperOnly();
    /// @notice The fee is above HIGHEST_FEE.
    error FeeTooHigh(uint256 fee);
    /// @notice The vault takes no deposits.
    error Closed();
    /// @notice The pot would pass its limit.
    error AboveLimit(uint256 pot, uint256 limit);
    /// @notice The amount is worth no share, or the shares no wei.
    error TooSmall();
    /// @notice The account has deposited in this very block.
    error SameBlock();
    /// @notice The receiver did not take the ether.
    error NotTaken();

    /// @notice Makes the deployer keeper.
    /// @dev Reverts with FeeTooHigh when `fee` is above HIGHEST_FEE. The vault starts open and empty. Emits RulesSet.
    /// @param fee The leaving fee in basis points.
    /// @param limit Most wei that deposits may bring the pot to.
    constructor(uint256 fee, uint256 limit) {
        if (fee > HIGHEST_FEE) revert FeeTooHigh(fee);
        keeper = msg.sender;
        leavingFee = fee;
        depositLimit = limit;
        emit RulesSet(fee, limit, false);
    }

    /// @notice Returns the shares that a deposit of `amount` wei buys now, rounded down.
    /// @dev In an empty vault (no shares) one wei buys one share; the dead shares are not taken off here.
    function sharesFor(uint256 amount) public view returns (uint256) {
        return totalShares == 0 ? amount : amount.down(totalShares, pot);
    }

    /// @notice Returns what `shares` bring now, and the fee that stays behind, both in wei.
    /// @dev The gross worth is rounded down, the fee is rounded up. Both are zero in an empty vault.
    /// @return amount What the owner receives.
    /// @return fee What stays in the pot.
    function worthOf(uint256 shares) public view returns (uint256 amount, uint256 fee) {
        if (totalShares == 0) return (0, 0);
        uint256 gross = shares.down(pot, totalShares);
        fee = gross.up(leavingFee, 10_000);
        amount = gross - fee;
    }

    /// @notice Puts the sent ether in and gives the caller shares for it.
    /// @dev Reverts with Closed, with AboveLimit (showing the pot as it would be), and with TooSmall when no share
    /// comes out. The first deposit leaves DEAD_SHARES to the zero address, must buy more than that (else TooSmall),
    /// and gives the caller the rest. Notes the block. Emits SharesMoved (dead shares first) and Deposited with the
    /// caller's shares.
    /// @return shares What the caller received.
    function deposit() external payable alone returns (uint256 shares) {
        if (closed) revert Closed();
        if (pot + msg.value > depositLimit) revert AboveLimit(pot + msg.value, depositLimit);
        shares = sharesFor(msg.value);
        if (totalShares == 0) {
            if (shares <= DEAD_SHARES) revert TooSmall();
            shares -= DEAD_SHARES;
            _mintShares(address(0), DEAD_SHARES);
        }
        if (shares == 0) revert TooSmall();
        pot += msg.value;
        lastDepositBlock[msg.sender] = block.number;
        depositCount += 1;
        _mintShares(msg.sender, shares);
        emit Deposited(msg.sender, msg.value, shares);
    }

    /// @notice Gives `shares` of the caller back and sends their worth, less the fee, to `to`.
    /// @dev Reverts with SameBlock when the caller has deposited in this block, with TooFewShares, with TooSmall when
    /// nothing comes out, and with NotTaken when `to` refuses. The pot shrinks before the ether leaves. Works while
    /// closed. Emits SharesMoved and Withdrawn.
    /// @return amount What was sent, in wei.
    function withdraw(uint256 shares, address payable to) external alone returns (uint256 amount) {
        if (lastDepositBlock[msg.sender] == block.number) revert SameBlock();
        uint256 fee;
        (amount, fee) = worthOf(shares);
        _burnShares(msg.sender, shares);
        if (amount == 0) revert TooSmall();
        pot -= amount;
        emit Withdrawn(msg.sender, shares, amount, fee);
        (bool taken, ) = to.call{value: amount}("");
        if (!taken) revert NotTaken();
    }

    /// @notice Feeds the pot with the sent ether, for all who hold shares.
    /// @dev Reverts with TooSmall for no ether, and while there are no shares. The deposit limit does not count.
    /// Emits Fed.
    function feed() external payable {
        if (msg.value == 0 || totalShares == 0) revert TooSmall();
        pot += msg.value;
        emit Fed(msg.sender, msg.value);
    }

    /// @notice Sets fee, limit and whether deposits are closed.
    /// @dev Only the keeper (KeeperOnly). Reverts with FeeTooHigh above HIGHEST_FEE. A limit below the pot is allowed.
    /// Emits RulesSet.
    function setRules(uint256 fee, uint256 limit, bool shut) external {
        if (msg.sender != keeper) revert KeeperOnly();
        if (fee > HIGHEST_FEE) revert FeeTooHigh(fee);
        leavingFee = fee;
        depositLimit = limit;
        closed = shut;
        emit RulesSet(fee, limit, shut);
    }

    /// @notice Sends ether that is in the contract but not in the pot to the keeper.
    /// @dev Anybody may call it. Reverts with TooSmall when there is none and with NotTaken when the keeper refuses.
    /// @return surplus What was sent, in wei.
    function sweep() external alone returns (uint256 surplus) {
        surplus = address(this).balance - pot;
        if (surplus == 0) revert TooSmall();
        (bool taken, ) = payable(keeper).call{value: surplus}("");
        if (!taken) revert NotTaken();
    }

    /// @notice Takes ether unasked; it is not counted into the pot.
    receive() external payable {}
}
