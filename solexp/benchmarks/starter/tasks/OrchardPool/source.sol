// SPDX-License-Identifier: MIT
pragma solidity >=0.6.8 <0.7.0;

/// @title Numbers that do not wrap
library Whole {
    function plus(uint256 a, uint256 b) internal pure returns (uint256 c) {
        c = a + b;
        require(c >= a, "too large");
    }

    function minus(uint256 a, uint256 b) internal pure returns (uint256) {
        require(b <= a, "too small");
        return a - b;
    }

    function times(uint256 a, uint256 b) internal pure returns (uint256 c) {
        c = a * b;
        require(a == 0 || c / a == b, "too large");
    }
}

/// @title What a pool pays in
interface Fruit {
    /// @notice Makes `amount` units for `to`.
    function grow(address to, uint256 amount) external;

    /// @notice Returns the units that `account` holds.
    function balanceOf(address account) external view returns (uint256);
}

/// @title A token that only its maker can grow
contract FruitToken is Fruit {
    using Whole for uint256;

    address public immutable gardener;
    uint256 public totalSupply;
    mapping(address => uint256) public override balanceOf;

    event Transfer(address indexed from, address indexed to, uint256 value);

    constructor() public {
        gardener = msg.sender;
    }

    function grow(address to, uint256 amount) external override {
        require(msg.sender == gardener, "gardener only");
        totalSupply = totalSupply.plus(amount);
        balanceOf[to] = balanceOf[to].plus(amount);
        emit Transfer(address(0), to, amount);
    }

    function transfer(address to, uint256 amount) external returns (bool) {
        balanceOf[msg.sender] = balanceOf[msg.sender].minus(amount);
        balanceOf[to] = balanceOf[to].plus(amount);
        emit Transfer(msg.sender, to, amount);
        return true;
    }
}

/// @title Orchard pool: stake ether, earn fruit
/// @notice Every second the pool yields a fixed amount of fruit, divided among the stakes by their size. A stake is
/// locked for some time after the last addition to it. Fruit is grown when it is claimed.
/// @dev The yield of one wei is summed up since the beginning, scaled by SCALE; each account remembers the sum up to
/// which it was paid.
abstract contract OrchardPool {
    using Whole for uint256;

    /// @notice What is known of an account's stake.
    struct Stake {
        uint256 amount;
        uint256 paidUpTo;
        uint256 owed;
        uint256 unlocksAt;
    }

    /// @notice Factor of yieldPerWei.
    uint256 public constant SCALE = 1e18;
    /// @notice Who sets the yield.
    address public farmer;
    /// @notice The token that is paid, made by this contract.
    Fruit public fruit;
    /// @notice Fruit a second for all stakes together.
    uint256 public yieldPerSecond;
    /// @notice Sum of the yields of one wei since the beginning, times SCALE.
    uint256 public yieldPerWei;
    /// @notice When yieldPerWei was last brought up to date, in seconds since 1970.
    uint256 public updatedAt;
    /// @notice Seconds for which an addition locks the whole stake.
    uint256 public lockTime;
    /// @notice Wei staked by all.
    uint256 public totalStaked;
    /// @notice The stake of each account.
    mapping(address => Stake) public stakes;

    /// @notice `account` added `amount` wei to its stake.
    event Staked(address indexed account, uint256 amount);
    /// @notice `account` took `amount` wei out.
    event Unstaked(address indexed account, uint256 amount);
    /// @notice `account` was paid `amount` fruit.
    event Claimed(address indexed account, uint256 amount);
    /// @notice The pool yields `perSecond` from now on.
    event YieldSet(uint256 perSecond);

    /// @notice Makes the token and starts the clock; the deployer is the farmer.
    /// @dev Emits YieldSet.
    /// @param perSecond Fruit a second.
    /// @param lock Seconds for which a stake is locked.
    constructor(uint256 perSecond, uint256 lock) internal {
        farmer = msg.sender;
        fruit = new FruitToken();
        yieldPerSecond = perSecond;
        lockTime = lock;
        updatedAt = block.timestamp;
        emit YieldSet(perSecond);
    }

    /// @notice Returns the largest stake, in wei, that an account may have.
    function largestStake() public view virtual returns (uint256);

    /// @notice Returns the fruit that `account` could claim at this time: what is owed and what has grown since.
    /// @dev Rounded down, first a wei's yield and then the account's share.
    function claimable(address account) public view returns (uint256) {
        Stake storage stake_ = stakes[account];
        uint256 grown = stake_.amount.times(currentYieldPerWei().minus(stake_.paidUpTo)) / SCALE;
        return stake_.owed.plus(grown);
    }

    /// @notice Returns what yieldPerWei would be if it were brought up to date now; while nothing is staked it stands
    /// still.
    function currentYieldPerWei() public view returns (uint256) {
        if (totalStaked == 0) {
            return yieldPerWei;
        }
        uint256 time = block.timestamp.minus(updatedAt);
        return yieldPerWei.plus(time.times(yieldPerSecond).times(SCALE) / totalStaked);
    }

    /// @notice Adds the sent ether to the caller's stake, and locks all of it anew.
    /// @dev Reverts with "nothing" without ether, and with "stake too large" above largestStake. What has grown so far
    /// is owed. Emits Staked.
    function stake() external payable {
        require(msg.value > 0, "nothing");
        Stake storage mine = settle(msg.sender);
        mine.amount = mine.amount.plus(msg.value);
        require(mine.amount <= largestStake(), "stake too large");
        mine.unlocksAt = block.timestamp.plus(lockTime);
        totalStaked = totalStaked.plus(msg.value);
        emit Staked(msg.sender, msg.value);
    }

    /// @notice Sends `amount` wei of the caller's stake back; fruit stays owed.
    /// @dev Reverts with "nothing" for zero, with "locked" before the stake unlocks (at that very second it is free),
    /// with "too small" when the stake is smaller, and with "not taken". Emits Unstaked.
    function unstake(uint256 amount) external {
        takeOut(amount);
    }

    /// @notice Grows and pays the fruit the caller can claim.
    /// @dev Paying nothing is allowed: then no fruit grows and no event is emitted. Emits Claimed.
    /// @return The amount of fruit.
    function claim() external returns (uint256) {
        return pay();
    }

    /// @notice Takes out the caller's whole stake and claims all fruit.
    /// @dev Reverts as unstake does. Emits Claimed (if there is fruit), then Unstaked.
    function leave() external {
        pay();
        takeOut(stakes[msg.sender].amount);
    }

    /// @notice Sends the caller's whole stake back at once, locked or not; all its fruit is forfeited.
    /// @dev Reverts with "nothing" without a stake, and with "not taken". The account starts afresh afterwards, as if
    /// it had never staked. Emits Unstaked.
    function flee() external {
        uint256 amount = stakes[msg.sender].amount;
        require(amount > 0, "nothing");
        update();
        delete stakes[msg.sender];
        totalStaked = totalStaked.minus(amount);
        emit Unstaked(msg.sender, amount);
        send(msg.sender, amount);
    }

    /// @notice Sets the yield from now on; what has grown until now keeps the old one.
    /// @dev Only the farmer ("farmer only"). Emits YieldSet.
    function setYield(uint256 perSecond) external {
        require(msg.sender == farmer, "farmer only");
        update();
        yieldPerSecond = perSecond;
        emit YieldSet(perSecond);
    }

    /// @notice Hands the farm over to `heir`, who must not be nobody ("nobody"). Only the farmer ("farmer only").
    function setFarmer(address heir) external {
        require(msg.sender == farmer, "farmer only");
        require(heir != address(0), "nobody");
        farmer = heir;
    }

    /// @dev Brings yieldPerWei and updatedAt up to date.
    function update() internal {
        yieldPerWei = currentYieldPerWei();
        updatedAt = block.timestamp;
    }

    /// @dev Brings the pool up to date, writes what `account` has earned so far as owed, and returns its stake.
    function settle(address account) internal returns (Stake storage mine) {
        update();
        mine = stakes[account];
        mine.owed = claimable(account);
        mine.paidUpTo = yieldPerWei;
    }

    /// @dev Takes `amount` wei out of the caller's stake. See unstake.
    function takeOut(uint256 amount) internal {
        require(amount > 0, "nothing");
        Stake storage mine = settle(msg.sender);
        require(block.timestamp >= mine.unlocksAt, "locked");
        mine.amount = mine.amount.minus(amount);
        totalStaked = totalStaked.minus(amount);
        emit Unstaked(msg.sender, amount);
        send(msg.sender, amount);
    }

    /// @dev Pays the caller what it is owed. See claim.
    function pay() internal returns (uint256 amount) {
        Stake storage mine = settle(msg.sender);
        amount = mine.owed;
        if (amount > 0) {
            mine.owed = 0;
            fruit.grow(msg.sender, amount);
            emit Claimed(msg.sender, amount);
        }
    }

    /// @dev Sends ether, and reverts with "not taken" when it is refused.
    function send(address payable to, uint256 amount) private {
        (bool taken, ) = to.call{value: amount}("");
        require(taken, "not taken");
    }
}

/// @title The orchard of this summer
contract SummerOrchard is OrchardPool {
    /// @notice The season's name.
    string public season;

    constructor(string memory name, uint256 perSecond, uint256 lock) public OrchardPool(perSecond, lock) {
        season = name;
    }

    /// @notice Forty ether are enough for one account.
    function largestStake() public view override returns (uint256) {
        return 40 ether;
    }
}
