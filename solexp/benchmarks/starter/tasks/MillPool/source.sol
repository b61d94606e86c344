// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

/// @title A contract whose host can pause it
abstract contract Hosted {
    /// @notice Who pauses and resumes.
    address public immutable host;
    /// @notice Whether the contract is paused.
    bool public paused;

    event PauseSwitched(bool paused);

    error HostOnly();
    error WhilePaused();
    error NothingToDo();

    constructor() {
        host = msg.sender;
    }

    modifier whileRunning() {
        if (paused) revert WhilePaused();
        _;
    }

    /// @notice Pauses the contract, or resumes it; refused where it stands so already.
    function setPaused(bool value) external {
        if (msg.sender != host) revert HostOnly();
        if (paused == value) revert NothingToDo();
        paused = value;
        emit PauseSwitched(value);
    }
}

/// @title Amounts for each wei, scaled up so that little is lost by rounding
library Scaled {
    uint256 internal constant ONE = 1e18;

    /// @notice Returns what each of `shares` gets of `amount`, scaled and rounded down.
    function each(uint256 amount, uint256 shares) internal pure returns (uint256) {
        return (amount * ONE) / shares;
    }

    /// @notice Returns what `shares` get at `rate` each, rounded down.
    function of_(uint256 rate, uint256 shares) internal pure returns (uint256) {
        return (rate * shares) / ONE;
    }
}

/// @title Mill pool: staked ether shares what sponsors pay in, epoch by epoch
/// @notice Sponsors fill the hopper. When an epoch is over anybody turns the mill: the hopper is shared among all that is
/// staked at that moment, and the next epoch begins. Stakes that are to be taken out stop earning at once and wait until
/// the epoch after the present one has begun.
contract MillPool is Hosted {
    using Scaled for uint256;

    /// @notice What is known of one account.
    struct Staker {
        uint128 staked;
        uint128 leaving;
        uint64 leavesIn;
        uint256 paidRate;
        uint256 earned;
    }

    /// @notice Shortest time of an epoch in seconds.
    uint256 public constant EPOCH = 7 days;
    /// @notice Smallest stake in wei; what an account has staked is never above zero and below this.
    uint256 public constant SMALLEST = 1e16;
    /// @notice Number of the present epoch; the first is 1.
    uint64 public epoch;
    /// @notice When the mill can be turned, in seconds since 1970.
    uint64 public turnsAt;
    /// @notice Wei that will be shared when the mill turns.
    uint256 public hopper;
    /// @notice Wei that earn.
    uint256 public totalStaked;
    /// @notice Wei that one staked wei has earned since the beginning, scaled by 1e18.
    uint256 public rate;
    /// @notice The stakers.
    mapping(address => Staker) public stakers;
    /// @notice Wei that were shared in each epoch.
    mapping(uint256 => uint256) public shared;
    /// @dev Wei that each sponsor has given; read by no function.
    mapping(address => uint256) private given;

    /// @notice `sponsor` filled `amount` wei into the hopper.
    event Filled(address indexed sponsor, uint256 amount);
    /// @notice The mill turned: `amount` wei of `epoch` were shared among `stake` wei.
    event Turned(uint64 indexed epoch, uint256 amount, uint256 stake);
    /// @notice `account` staked `amount` wei more.
    event Staked(address indexed account, uint256 amount);
    /// @notice `amount` wei of `account` stopped earning; all that leaves can be taken from epoch `leavesIn` on.
    event Leaving(address indexed account, uint256 amount, uint64 leavesIn);
    /// @notice `account` took out `amount` wei of its stake.
    event Left(address indexed account, uint256 amount);
    /// @notice `account` took `amount` wei that it had earned.
    event Claimed(address indexed account, uint256 amount);

    /// @notice Fewer wei than allowed, or none.
    error TooLittle();
    /// @notice More than the account has staked.
    error TooMuch();
    /// @notice It is not time yet.
    error TooEarly();
    /// @notice The account did not take the ether.
    error NotTaken();

    /// @notice Begins the first epoch.
    constructor() {
        epoch = 1;
        turnsAt = uint64(block.timestamp + EPOCH);
    }

    /// @notice Fills the ether that is sent into the hopper.
    /// @dev Reverts with TooLittle when none is sent, and with WhilePaused. Emits Filled.
    function fill() external payable whileRunning {
        if (msg.value == 0) revert TooLittle();
        hopper += msg.value;
        given[msg.sender] += msg.value;
        emit Filled(msg.sender, msg.value);
    }

    /// @notice Turns the mill. Anybody may, also while the pool is paused.
    /// @dev Reverts with TooEarly before turnsAt. What the hopper holds raises the rate and the hopper is emptied, but when
    /// nothing is staked it stays full. The next epoch begins now. Emits Turned.
    /// @return amount The wei that were shared.
    function turn() external returns (uint256 amount) {
        if (block.timestamp < turnsAt) revert TooEarly();
        if (totalStaked > 0) {
            amount = hopper;
            rate += amount.each(totalStaked);
            hopper = 0;
        }
        shared[epoch] = amount;
        emit Turned(epoch, amount, totalStaked);
        epoch += 1;
        turnsAt = uint64(block.timestamp + EPOCH);
    }

    /// @notice Returns the wei that `account` has earned and not claimed.
    function claimable(address account) public view returns (uint256) {
        Staker memory known = stakers[account];
        return known.earned + (rate - known.paidRate).of_(known.staked);
    }

    /// @notice Stakes the ether that is sent; it earns from the next turn on.
    /// @dev Reverts with TooLittle when none is sent or the stake would be below SMALLEST, and with WhilePaused. Emits
    /// Staked.
    function stake() external payable whileRunning {
        settle(msg.sender);
        Staker storage mine = stakers[msg.sender];
        if (msg.value == 0 || mine.staked + msg.value < SMALLEST) revert TooLittle();
        mine.staked += uint128(msg.value);
        totalStaked += msg.value;
        emit Staked(msg.sender, msg.value);
    }

    /// @notice Has `amount` wei of the caller's stake leave. They wait, with those that wait already, until the epoch after
    /// the present one.
    /// @dev Reverts with TooLittle for zero or when what remains would be above zero and below SMALLEST, and with TooMuch when
    /// less is staked. Works while paused. Emits Leaving.
    function leave(uint128 amount) external {
        if (amount == 0) revert TooLittle();
        settle(msg.sender);
        Staker storage mine = stakers[msg.sender];
        if (amount > mine.staked) revert TooMuch();
        uint128 rest = mine.staked - amount;
        if (rest > 0 && rest < SMALLEST) revert TooLittle();
        mine.staked = rest;
        mine.leaving += amount;
        mine.leavesIn = epoch + 1;
        totalStaked -= amount;
        emit Leaving(msg.sender, amount, epoch + 1);
    }

    /// @notice Stakes again all that waits to leave.
    /// @dev Reverts with TooLittle when nothing waits, or the stake would be below SMALLEST, and with WhilePaused. Emits
    /// Staked.
    function stay() external whileRunning {
        settle(msg.sender);
        Staker storage mine = stakers[msg.sender];
        uint128 amount = mine.leaving;
        if (amount == 0 || mine.staked + amount < SMALLEST) revert TooLittle();
        mine.leaving = 0;
        mine.staked += amount;
        totalStaked += amount;
        emit Staked(msg.sender, amount);
    }

    /// @notice Takes out all that has waited long enough.
    /// @dev Reverts with TooLittle when nothing waits, with TooEarly before epoch leavesIn, and with NotTaken. Works while
    /// paused. Emits Left.
    /// @return amount The wei.
    function takeOut() external returns (uint256 amount) {
        Staker storage mine = stakers[msg.sender];
        amount = mine.leaving;
        if (amount == 0) revert TooLittle();
        if (epoch < mine.leavesIn) revert TooEarly();
        mine.leaving = 0;
        emit Left(msg.sender, amount);
        pay(msg.sender, amount);
    }

    /// @notice Takes what the caller has earned.
    /// @dev Reverts with TooLittle when that is nothing, with WhilePaused, and with NotTaken. Emits Claimed.
    /// @return amount The wei.
    function claim() external whileRunning returns (uint256 amount) {
        settle(msg.sender);
        Staker storage mine = stakers[msg.sender];
        amount = mine.earned;
        if (amount == 0) revert TooLittle();
        mine.earned = 0;
        emit Claimed(msg.sender, amount);
        pay(msg.sender, amount);
    }

    /// @dev Books what an account has earned up to now.
    function settle(address account) private {
        Staker storage known = stakers[account];
        known.earned = claimable(account);
        known.paidRate = rate;
    }

    /// @dev Sends wei. Reverts with NotTaken.
    function pay(address to, uint256 amount) private {
        (bool taken, ) = to.call{value: amount}("");
        if (!taken) revert NotTaken();
    }
}
