pragma solidity ^0.5.16;

/// @title The ERC20 interface
interface ERC20 {
    /// @notice `value` units went from `from` to `to`.
    event Transfer(address indexed from, address indexed to, uint256 value);
    /// @notice `spender` may now spend `value` units of `holder`.
    event Approval(address indexed holder, address indexed spender, uint256 value);

    function totalSupply() external view returns (uint256);

    function balanceOf(address account) external view returns (uint256);

    function allowance(address holder, address spender) external view returns (uint256);

    function transfer(address to, uint256 value) external returns (bool);

    function approve(address spender, uint256 value) external returns (bool);

    function transferFrom(address from, address to, uint256 value) external returns (bool);
}

/// @title Arithmetic that reverts where it would go wrong
library Exact {
    /// @notice Adds, and reverts when the sum does not fit.
    function add(uint256 a, uint256 b) internal pure returns (uint256) {
        uint256 c = a + b;
        require(c >= a, "overflow");
        return c;
    }

    /// @notice Subtracts, and reverts with `reason` when the result would be negative.
    function sub(uint256 a, uint256 b, string memory reason) internal pure returns (uint256) {
        require(b <= a, reason);
        return a - b;
    }

    /// @notice Multiplies, and reverts when the product does not fit.
    function mul(uint256 a, uint256 b) internal pure returns (uint256) {
        if (a == 0) {
            return 0;
        }
        uint256 c = a * b;
        require(c / a == b, "overflow");
        return c;
    }
}

/// @title A contract with one owner
contract Stewarded {
    /// @notice The account that sets the rules.
    address public steward;

    /// @notice The rules are now set by `to`.
    event StewardChanged(address indexed from, address indexed to);

    constructor() internal {
        steward = msg.sender;
    }

    modifier onlySteward() {
        require(msg.sender == steward, "not the steward");
        _;
    }

    /// @notice Hands the post over to `to`, at once.
    function passOn(address to) external onlySteward {
        require(to != address(0), "nobody");
        emit StewardChanged(steward, to);
        steward = to;
    }
}

/// @title Toll token: an ERC20 token that takes a fee of every transfer
/// @notice Of every transfer a toll goes to a collector and the rest to the recipient, except where the sender or the
/// recipient is exempt. The toll is counted in basis points (hundredths of a percent) and rounded down.
contract TollToken is ERC20, Stewarded {
    using Exact for uint256;

    /// @notice Name of the token.
    string public constant name = "Toll";
    /// @notice Ticker of the token.
    string public constant symbol = "TOLL";
    /// @notice Number of decimals that wallets show.
    uint8 public constant decimals = 18;
    /// @notice The highest toll that can be set, in basis points.
    uint256 public constant HIGHEST_TOLL = 1000;
    /// @notice The toll in basis points.
    uint256 public toll;
    /// @notice Who receives the toll.
    address public collector;
    /// @notice Sum of all tolls taken so far.
    uint256 public tollTaken;
    /// @notice Whether an account pays no toll, neither as sender nor as recipient.
    mapping(address => bool) public exempt;
    /// @dev Units in existence.
    uint256 private supply;
    /// @dev Units held by each account.
    mapping(address => uint256) private holdings;
    /// @dev Units that an account (first key) lets another (second key) spend.
    mapping(address => mapping(address => uint256)) private allowed;
    /// @dev Time of the last change of the toll, in seconds since 1970; kept for auditors, read by no function.
    uint256 private tollChangedAt;

    /// @notice The toll was set from `before` to `current` basis points.
    event TollChanged(uint256 before, uint256 current);
    /// @notice `account` became exempt or lost its exemption.
    event ExemptionSet(address indexed account, bool value);

    /// @notice Mints `initialSupply` units to the deployer, who becomes steward and is exempt.
    /// @dev Reverts with "too high" when the toll is above HIGHEST_TOLL and with "nobody" when the collector is the
    /// zero address. Emits Transfer from the zero address. The deployment counts as a change of the toll.
    /// @param initialSupply Units that the deployer starts with; the supply never changes but by burning.
    /// @param firstToll The toll in basis points.
    /// @param firstCollector Who receives the toll; not exempt by that.
    constructor(uint256 initialSupply, uint256 firstToll, address firstCollector) public {
        require(firstToll <= HIGHEST_TOLL, "too high");
        require(firstCollector != address(0), "nobody");
        supply = initialSupply;
        holdings[msg.sender] = initialSupply;
        toll = firstToll;
        tollChangedAt = now;
        collector = firstCollector;
        exempt[msg.sender] = true;
        emit Transfer(address(0), msg.sender, initialSupply);
    }

    /// @notice Returns the units in existence.
    function totalSupply() external view returns (uint256) {
        return supply;
    }

    /// @notice Returns the units that `account` holds.
    function balanceOf(address account) external view returns (uint256) {
        return holdings[account];
    }

    /// @notice Returns the units that `spender` may still spend for `holder`.
    function allowance(address holder, address spender) external view returns (uint256) {
        return allowed[holder][spender];
    }

    /// @notice Returns the toll that a transfer of `value` from `from` to `to` would pay, rounded down.
    function tollFor(address from, address to, uint256 value) public view returns (uint256) {
        if (exempt[from] || exempt[to]) {
            return 0;
        }
        return value.mul(toll) / 10000;
    }

    /// @notice Sends `value` units of the caller, of which `to` receives what the toll leaves.
    /// @dev See pay for conditions and events.
    /// @return Always true.
    function transfer(address to, uint256 value) external returns (bool) {
        pay(msg.sender, to, value);
        return true;
    }

    /// @notice Lets `spender` spend `value` units of the caller, in place of what was allowed before.
    /// @dev Reverts with "nobody" for the zero address. Emits Approval.
    /// @return Always true.
    function approve(address spender, uint256 value) external returns (bool) {
        require(spender != address(0), "nobody");
        allowed[msg.sender][spender] = value;
        emit Approval(msg.sender, spender, value);
        return true;
    }

    /// @notice Sends `value` units of `from` out of the caller's allowance, of which `to` receives what the toll leaves.
    /// @dev The allowance shrinks by the whole `value`, the toll included, except where it is the largest possible
    /// number: that one never shrinks. Reverts with "allowance too small". Emits Approval with the new allowance when
    /// it shrank, after the events of pay.
    /// @return Always true.
    function transferFrom(address from, address to, uint256 value) external returns (bool) {
        pay(from, to, value);
        uint256 left = allowed[from][msg.sender];
        if (left != uint256(-1)) {
            left = left.sub(value, "allowance too small");
            allowed[from][msg.sender] = left;
            emit Approval(from, msg.sender, left);
        }
        return true;
    }

    /// @notice Destroys `value` units of the caller, free of toll.
    /// @dev Reverts with "balance too small". Emits Transfer to the zero address.
    function burn(uint256 value) external {
        holdings[msg.sender] = holdings[msg.sender].sub(value, "balance too small");
        supply = supply.sub(value, "supply too small");
        emit Transfer(msg.sender, address(0), value);
    }

    /// @notice Sets the toll to `current` basis points.
    /// @dev Only the steward. Reverts with "too high" above HIGHEST_TOLL. Emits TollChanged, also when nothing changes,
    /// and notes the time.
    function setToll(uint256 current) external onlySteward {
        require(current <= HIGHEST_TOLL, "too high");
        emit TollChanged(toll, current);
        toll = current;
        tollChangedAt = now;
    }

    /// @notice Makes `account` the receiver of tolls.
    /// @dev Only the steward, or the collector itself. Reverts with "not allowed" for others and with "nobody" for the
    /// zero address.
    function setCollector(address account) external {
        require(msg.sender == steward || msg.sender == collector, "not allowed");
        require(account != address(0), "nobody");
        collector = account;
    }

    /// @notice Makes `account` exempt, or ends its exemption.
    /// @dev Only the steward. Reverts with "nothing to do" when it already is what it should become. Emits
    /// ExemptionSet.
    function setExempt(address account, bool value) external onlySteward {
        require(exempt[account] != value, "nothing to do");
        exempt[account] = value;
        emit ExemptionSet(account, value);
    }

    /// @dev Takes `value` units from `from`, gives the toll to the collector and the rest to `to`. Reverts with
    /// "nobody" when `to` is the zero address and with "balance too small". Emits Transfer for the rest and then, if
    /// the toll is not zero, Transfer for the toll.
    function pay(address from, address to, uint256 value) private {
        require(to != address(0), "nobody");
        uint256 fee = tollFor(from, to, value);
        uint256 rest = value - fee;
        holdings[from] = holdings[from].sub(value, "balance too small");
        holdings[to] = holdings[to].add(rest);
        emit Transfer(from, to, rest);
        if (fee > 0) {
            holdings[collector] = holdings[collector].add(fee);
            tollTaken = tollTaken.add(fee);
            emit Transfer(from, collector, fee);
        }
    }
}
