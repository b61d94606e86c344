// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// @title A contract that its deployer sets up once, some time after the deployment
abstract contract SetUpOnce {
    /// @notice Who deployed the contract, and alone can set it up.
    address public immutable deployer;
    /// @notice Whether the contract is set up.
    bool public initialized;

    error NotInitialized();
    error AlreadyInitialized();

    constructor() {
        deployer = msg.sender;
    }

    modifier whenReady() {
        if (!initialized) revert NotInitialized();
        _;
    }
}

/// @title Whole days since 1970
library Days {
    /// @notice Returns the number of the day on which `time` falls.
    function day(uint256 time) internal pure returns (uint256) {
        return time / 1 days;
    }
}

/// @title Vault: keeps ether for many accounts, and lets each take only so much a day
/// @notice Nothing works before the deployer has set the vault up. The keeper changes the limit and closes the vault for
/// good: then nothing comes in any more, and everybody can take all at once.
contract InitVault is SetUpOnce {
    using Days for uint256;

    /// @notice Who changes the limit and closes the vault; zero before the vault is set up.
    address public keeper;
    /// @notice Who has been offered the keeper's place; zero when nobody has.
    address public heir;
    /// @notice Wei that each account can take on one day.
    uint256 public dailyLimit;
    /// @notice Deposits of less wei than this are refused.
    uint256 public smallest;
    /// @notice Whether the vault is closed.
    bool public closed;
    /// @notice Wei that all accounts hold together.
    uint256 public total;
    /// @notice Wei that each account holds.
    mapping(address => uint256) public balances;
    /// @dev Wei that each account took on the day of lastDay.
    mapping(address => uint256) private taken;
    /// @dev The day on which each account took something last.
    mapping(address => uint256) private lastDay;
    /// @dev How many deposits each account has made; read by no function.
    mapping(address => uint256) private deposits;

    /// @notice The vault was set up.
    event Initialized(address indexed keeper, uint256 smallest, uint256 dailyLimit);
    /// @notice `account` brought `amount` wei.
    event Deposited(address indexed account, uint256 amount);
    /// @notice `account` took `amount` wei and holds `rest`.
    event Withdrawn(address indexed account, uint256 amount, uint256 rest);
    /// @notice `amount` wei of `from` belong to `to` now.
    event Given(address indexed from, address indexed to, uint256 amount);
    /// @notice The daily limit changed.
    event LimitChanged(uint256 before, uint256 limit);
    /// @notice `account` became keeper.
    event KeeperChanged(address indexed account);
    /// @notice The vault was closed while it held `total` wei.
    event Closing(uint256 total);

    /// @notice The caller may not do this.
    error Forbidden(address caller);
    /// @notice The argument makes no sense.
    error BadArgument();
    /// @notice The vault is closed, or not closed yet.
    error WrongState();
    /// @notice Less than the smallest deposit was sent.
    error TooSmall(uint256 sent);
    /// @notice More was asked for than there is to take.
    error TooMuch(uint256 amount);
    /// @notice The receiver did not take the ether.
    error NotTaken();

    modifier onlyKeeper() {
        if (msg.sender != keeper) revert Forbidden(msg.sender);
        _;
    }

    /// @notice Sets the vault up.
    /// @dev Only the deployer (Forbidden), and only once (AlreadyInitialized). Reverts with BadArgument for the zero address
    /// as keeper, a smallest deposit of zero, and a limit below the smallest deposit. Emits Initialized.
    /// @param keeper_ Who keeps the vault.
    /// @param smallest_ Smallest deposit in wei.
    /// @param dailyLimit_ Wei an account can take on one day.
    function initialize(address keeper_, uint256 smallest_, uint256 dailyLimit_) external {
        if (msg.sender != deployer) revert Forbidden(msg.sender);
        if (initialized) revert AlreadyInitialized();
        if (keeper_ == address(0) || smallest_ == 0 || dailyLimit_ < smallest_) revert BadArgument();
        initialized = true;
        keeper = keeper_;
        smallest = smallest_;
        dailyLimit = dailyLimit_;
        emit Initialized(keeper_, smallest_, dailyLimit_);
    }

    /// @notice Puts the ether that is sent into the vault.
    /// @dev Reverts with NotInitialized, with WrongState once the vault is closed, and with TooSmall. Emits Deposited.
    function deposit() external payable whenReady {
        if (closed) revert WrongState();
        if (msg.value < smallest) revert TooSmall(msg.value);
        balances[msg.sender] += msg.value;
        total += msg.value;
        deposits[msg.sender] += 1;
        emit Deposited(msg.sender, msg.value);
    }

    /// @notice Returns how much `account` can take now: what it holds, but while the vault is open no more than what is
    /// left of the limit for this day.
    function drawable(address account) public view returns (uint256) {
        uint256 held = balances[account];
        if (closed) return held;
        uint256 used = lastDay[account] == block.timestamp.day() ? taken[account] : 0;
        uint256 room = used < dailyLimit ? dailyLimit - used : 0;
        return held < room ? held : room;
    }

    /// @notice Takes `amount` wei out of the vault.
    /// @dev Reverts with NotInitialized, with TooMuch for zero or more than is drawable, and with NotTaken when the caller
    /// does not accept the ether. Counts towards the limit of this day. Emits Withdrawn.
    function withdraw(uint256 amount) external whenReady {
        if (amount == 0 || amount > drawable(msg.sender)) revert TooMuch(amount);
        uint256 today = block.timestamp.day();
        if (lastDay[msg.sender] != today) {
            lastDay[msg.sender] = today;
            taken[msg.sender] = 0;
        }
        taken[msg.sender] += amount;
        balances[msg.sender] -= amount;
        total -= amount;
        emit Withdrawn(msg.sender, amount, balances[msg.sender]);
        pay(msg.sender, amount);
    }

    /// @notice Makes `amount` wei of the caller's `to`'s; they stay in the vault.
    /// @dev Reverts with NotInitialized, with WrongState once the vault is closed, with BadArgument for the zero address,
    /// and with TooMuch for zero or more than the caller holds. Giving to oneself changes nothing. Emits Given.
    function give(address to, uint256 amount) external whenReady {
        if (closed) revert WrongState();
        if (to == address(0)) revert BadArgument();
        if (amount == 0 || amount > balances[msg.sender]) revert TooMuch(amount);
        balances[msg.sender] -= amount;
        balances[to] += amount;
        emit Given(msg.sender, to, amount);
    }

    /// @notice Changes the daily limit; it counts at once, also for what was taken today.
    /// @dev Only the keeper (Forbidden). Reverts with BadArgument below the smallest deposit. Emits LimitChanged.
    function setLimit(uint256 limit) external onlyKeeper {
        if (limit < smallest) revert BadArgument();
        emit LimitChanged(dailyLimit, limit);
        dailyLimit = limit;
    }

    /// @notice Offers the keeper's place to `account`; a later offer replaces an earlier one, zero takes it back.
    /// @dev Only the keeper (Forbidden).
    function offer(address account) external onlyKeeper {
        heir = account;
    }

    /// @notice Takes the keeper's place.
    /// @dev Only who was offered it (Forbidden). Emits KeeperChanged.
    function accept() external {
        if (msg.sender != heir) revert Forbidden(msg.sender);
        keeper = msg.sender;
        heir = address(0);
        emit KeeperChanged(msg.sender);
    }

    /// @notice Closes the vault for good.
    /// @dev Only the keeper (Forbidden), once (WrongState). Emits Closing.
    function close() external onlyKeeper {
        if (closed) revert WrongState();
        closed = true;
        emit Closing(total);
    }

    /// @notice Takes all that the caller holds, once the vault is closed.
    /// @dev Reverts with WrongState before, with TooMuch when the caller holds nothing, and with NotTaken. Emits Withdrawn.
    function leave() external {
        if (!closed) revert WrongState();
        uint256 amount = balances[msg.sender];
        if (amount == 0) revert TooMuch(0);
        balances[msg.sender] = 0;
        total -= amount;
        emit Withdrawn(msg.sender, amount, 0);
        pay(msg.sender, amount);
    }

    /// @dev Sends `amount` wei to `to`. Reverts with NotTaken.
    function pay(address to, uint256 amount) private {
        (bool accepted, ) = to.call{value: amount}("");
        if (!accepted) revert NotTaken();
    }
}
