pragma solidity ^0.4.24;

/// @title Arithmetic with checks
library Checked {
    function add(uint256 a, uint256 b) internal pure returns (uint256) {
        uint256 c = a + b;
        require(c >= a);
        return c;
    }

    function sub(uint256 a, uint256 b) internal pure returns (uint256) {
        require(b <= a);
        return a - b;
    }

    function mul(uint256 a, uint256 b) internal pure returns (uint256) {
        if (a == 0) {
            return 0;
        }
        uint256 c = a * b;
        require(c / a == b);
        return c;
    }
}

/// @title The token on sale: its maker mints, holders send
contract SeedToken {
    using Checked for uint256;

    string public constant name = "Seed";
    string public constant symbol = "SEED";
    uint8 public constant decimals = 18;
    address public minter;
    uint256 public totalSupply;
    mapping(address => uint256) public balanceOf;

    event Transfer(address indexed from, address indexed to, uint256 value);

    constructor() public {
        minter = msg.sender;
    }

    /// @notice Makes `value` units for `to`; only the maker of this contract may.
    function mint(address to, uint256 value) external {
        require(msg.sender == minter, "minter only");
        totalSupply = totalSupply.add(value);
        balanceOf[to] = balanceOf[to].add(value);
        emit Transfer(address(0), to, value);
    }

    function transfer(address to, uint256 value) external returns (bool) {
        balanceOf[msg.sender] = balanceOf[msg.sender].sub(value);
        balanceOf[to] = balanceOf[to].add(value);
        emit Transfer(msg.sender, to, value);
        return true;
    }
}

/// @title Times and amounts of a sale
contract SaleTerms {
    /// @notice Who runs the sale and receives what it raises.
    address public organiser;
    /// @notice When the sale opens, in seconds since 1970.
    uint256 public opens;
    /// @notice When the sale closes; contributions at this second are too late.
    uint256 public closes;
    /// @notice Least that must be raised, in wei, or everybody gets the money back.
    uint256 public goal;
    /// @notice Most that can be raised, in wei.
    uint256 public ceiling;

    modifier onlyOrganiser() {
        require(msg.sender == organiser, "organiser only");
        _;
    }
}

/// @title Refundable sale: tokens for ether, or the ether back
/// @notice Contributors send ether while the sale is open. If the goal is reached they claim tokens afterwards and the
/// organiser takes the ether; if not, or if the organiser calls the sale off, they claim their ether back. When all of
/// it has been claimed, the organiser can open the sale once more.
contract RefundableSale is SaleTerms {
    using Checked for uint256;

    /// @notice What has become of the sale: still running, reached its goal, or failed.
    enum Result {
        Running,
        Reached,
        Failed
    }

    /// @notice Contributions below this many wei are refused.
    uint256 public constant SMALLEST = 10 finney;
    /// @notice Tokens a wei in the first quarter of the sale; later ones get RATE.
    uint256 public constant EARLY_RATE = 1200;
    /// @notice Tokens a wei after the first quarter.
    uint256 public constant RATE = 1000;
    /// @notice The token, made by this contract.
    SeedToken public token;
    /// @notice What has become of the sale.
    Result public result;
    /// @notice Wei contributed and not claimed back.
    uint256 public raised;
    /// @notice Number of accounts that have contributed and not claimed it back.
    uint256 public contributors;
    /// @notice Whether the organiser has used the one extension of this opening.
    bool public extended;
    /// @notice Wei contributed by each account and not claimed back.
    mapping(address => uint256) public contributed;
    /// @notice Tokens that each account has bought and not claimed.
    mapping(address => uint256) public bought;
    /// @notice Accounts that may not contribute.
    mapping(address => bool) public barred;

    /// @notice `account` contributed `amount` wei for `tokens`.
    event Contributed(address indexed account, uint256 amount, uint256 tokens);
    /// @notice The sale ended with `result`, having raised `raised` wei.
    event Ended(Result result, uint256 raised);
    /// @notice `account` got `amount` wei back.
    event Refunded(address indexed account, uint256 amount);
    /// @notice The sale now closes at `closes`.
    event Extended(uint256 closes);
    /// @notice The sale opened once more and closes at `closes`.
    event Reopened(uint256 closes);

    /// @notice Makes the token and sets the terms; the deployer is the organiser.
    /// @dev Reverts with "bad times" unless the opening is not in the past and before the closing, and with "bad
    /// amounts" unless 0 < goal <= ceiling.
    /// @param opening When the sale opens, in seconds since 1970.
    /// @param closing When it closes.
    /// @param least The goal in wei.
    /// @param most The ceiling in wei.
    constructor(uint256 opening, uint256 closing, uint256 least, uint256 most) public {
        require(opening >= now && closing > opening, "bad times");
        require(least > 0 && least <= most, "bad amounts");
        organiser = msg.sender;
        opens = opening;
        closes = closing;
        goal = least;
        ceiling = most;
        token = new SeedToken();
    }

    /// @notice Contributes the sent ether; the same as contribute.
    function() external payable {
        take(msg.sender, msg.value);
    }

    /// @notice Contributes the sent ether for the caller. See take.
    function contribute() external payable {
        take(msg.sender, msg.value);
    }

    /// @notice Contributes the sent ether for `account`, which gets the tokens, or the refund. See take.
    function contributeFor(address account) external payable {
        require(account != address(0), "nobody");
        take(account, msg.value);
    }

    /// @notice Returns the tokens that `amount` wei buy at this time: EARLY_RATE a wei in the first quarter of the time
    /// between opening and closing (its last second included), RATE a wei after it.
    function tokensFor(uint256 amount) public view returns (uint256) {
        uint256 quarter = closes.sub(opens) / 4;
        return amount.mul(now <= opens.add(quarter) ? EARLY_RATE : RATE);
    }

    /// @notice Returns whether contributions are taken at this time.
    function isOpen() public view returns (bool) {
        return result == Result.Running && now >= opens && now < closes && raised < ceiling;
    }

    /// @notice Ends the sale: Reached if the goal is met, else Failed.
    /// @dev Anybody may call it once the sale has closed or the ceiling is reached. Reverts with "ended" when it has
    /// been ended, and with "too early". Emits Ended.
    function finish() external {
        require(result == Result.Running, "ended");
        require(now >= closes || raised == ceiling, "too early");
        result = raised >= goal ? Result.Reached : Result.Failed;
        emit Ended(result, raised);
    }

    /// @notice Calls a running sale off: it becomes Failed, whatever it has raised.
    /// @dev Only the organiser. Reverts with "ended". Emits Ended.
    function callOff() external onlyOrganiser {
        require(result == Result.Running, "ended");
        result = Result.Failed;
        emit Ended(result, raised);
    }

    /// @notice Moves the closing of a running sale to `closing`, once.
    /// @dev Only the organiser, and only before the present closing ("too late"); the new closing must be later by at
    /// most 30 days ("bad times"). Reverts with "used" the second time. Emits Extended.
    function extend(uint256 closing) external onlyOrganiser {
        require(!extended, "used");
        require(result == Result.Running && now < closes, "too late");
        require(closing > closes && closing <= closes.add(30 days), "bad times");
        extended = true;
        closes = closing;
        emit Extended(closing);
    }

    /// @notice Bars `account` from contributing, or lets it in again. Only the organiser.
    function setBarred(address account, bool value) external onlyOrganiser {
        barred[account] = value;
    }

    /// @notice Mints to the caller the tokens it has bought in a sale that reached its goal.
    /// @dev Reverts with "not reached", and with "nothing" when there are none left to claim. The caller's
    /// contribution can no longer be claimed back anyway and stays as it is.
    /// @return The number of tokens.
    function claimTokens() external returns (uint256) {
        require(result == Result.Reached, "not reached");
        uint256 tokens = bought[msg.sender];
        require(tokens > 0, "nothing");
        bought[msg.sender] = 0;
        token.mint(msg.sender, tokens);
        return tokens;
    }

    /// @notice Sends the caller's contribution to a failed sale back.
    /// @dev Reverts with "not failed", and with "nothing" when there is none. The tokens bought are forgotten, and the
    /// account no longer counts as contributor. Emits Refunded.
    /// @return The wei sent.
    function claimRefund() external returns (uint256) {
        require(result == Result.Failed, "not failed");
        uint256 amount = contributed[msg.sender];
        require(amount > 0, "nothing");
        contributed[msg.sender] = 0;
        bought[msg.sender] = 0;
        raised = raised.sub(amount);
        contributors = contributors.sub(1);
        emit Refunded(msg.sender, amount);
        msg.sender.transfer(amount);
        return amount;
    }

    /// @notice Opens a failed sale once more, from now until `closing`.
    /// @dev Only the organiser. Reverts with "not failed", with "claims open" while somebody can still claim ether back,
    /// and with "bad times" unless the closing is ahead. The one extension can be used anew; barred accounts stay
    /// barred. Emits Reopened.
    function reopen(uint256 closing) external onlyOrganiser {
        require(result == Result.Failed, "not failed");
        require(raised == 0, "claims open");
        require(closing > now, "bad times");
        result = Result.Running;
        opens = now;
        closes = closing;
        extended = false;
        emit Reopened(closing);
    }

    /// @notice Sends what the sale raised to the organiser.
    /// @dev Only the organiser, and only after the goal was reached ("not reached"). A second call sends nothing and
    /// does not revert.
    function collect() external onlyOrganiser {
        require(result == Result.Reached, "not reached");
        organiser.transfer(address(this).balance);
    }

    /// @dev Books `amount` wei for `account`. Reverts with "not open", with "barred" when either the account or the
    /// caller is barred, with "too small", and with "above ceiling" when the sum raised would pass the ceiling. An
    /// account counts as contributor once. Emits Contributed.
    function take(address account, uint256 amount) internal {
        require(isOpen(), "not open");
        require(!barred[account] && !barred[msg.sender], "barred");
        require(amount >= SMALLEST, "too small");
        uint256 sum = raised.add(amount);
        require(sum <= ceiling, "above ceiling");
        if (contributed[account] == 0) {
            contributors = contributors.add(1);
        }
        uint256 tokens = tokensFor(amount);
        raised = sum;
        contributed[account] = contributed[account].add(amount);
        bought[account] = bought[account].add(tokens);
        emit Contributed(account, amount, tokens);
    }
}
