pragma solidity ^0.4.24;

/// @title Sums that refuse to wrap around
library Sums {
    /// @notice Adds two amounts and reverts when the sum does not fit.
    function plus(uint256 a, uint256 b) internal pure returns (uint256) {
        uint256 sum = a + b;
        require(sum >= a, "sum too large");
        return sum;
    }

    /// @notice Takes `b` from `a` and reverts when `b` is the larger.
    function minus(uint256 a, uint256 b) internal pure returns (uint256) {
        require(b <= a, "not enough");
        return a - b;
    }
}

/// @title A contract with one owner, handed over in two steps
contract Owned {
    /// @notice Who may use the owner's functions.
    address public owner;
    /// @notice Who has been offered the ownership; zero when nobody has.
    address public heir;

    /// @notice The ownership moved.
    event OwnerChanged(address indexed from, address indexed to);

    constructor() public {
        owner = msg.sender;
    }

    modifier onlyOwner() {
        require(msg.sender == owner, "owner only");
        _;
    }

    /// @notice Offers the ownership to `candidate`; a later offer replaces an earlier one.
    function offerOwnership(address candidate) public onlyOwner {
        heir = candidate;
    }

    /// @notice Takes an offered ownership.
    function acceptOwnership() public {
        require(msg.sender == heir, "heir only");
        emit OwnerChanged(owner, heir);
        owner = heir;
        heir = address(0);
    }
}

/// @title A contract whose owner can halt it
contract Haltable is Owned {
    /// @notice Whether the contract stands still.
    bool public halted;

    /// @notice The switch was turned to `halted`.
    event HaltSwitched(bool halted);

    modifier whileRunning() {
        require(!halted, "halted");
        _;
    }

    /// @notice Turns the switch; turning it to where it stands already is refused.
    function setHalted(bool value) public onlyOwner {
        require(halted != value, "nothing to do");
        halted = value;
        emit HaltSwitched(value);
    }
}

/// @title Harbor token: an ERC20 token with a capped supply, a halt switch and frozen accounts
/// @notice The owner mints up to the cap. While the contract is halted no balance moves. An account that the owner has
/// frozen can neither send nor receive.
contract HarborToken is Haltable {
    using Sums for uint256;

    /// @notice Name of the token.
    string public name;
    /// @notice Ticker of the token.
    string public symbol;
    /// @notice Number of decimals that wallets show.
    uint8 public constant decimals = 6;
    /// @notice Units in existence.
    uint256 public totalSupply;
    /// @notice The supply can never pass this many units.
    uint256 public cap;
    /// @notice Units ever minted, the burned ones included.
    uint256 public everMinted;
    /// @notice Whether an account is frozen.
    mapping(address => bool) public frozen;
    /// @dev Units held by each account.
    mapping(address => uint256) private balances;
    /// @dev Units that an account (first key) lets another (second key) spend.
    mapping(address => mapping(address => uint256)) private allowances;

    /// @notice `value` units went from `from` to `to`. Minting comes from the zero address, burning goes to it.
    event Transfer(address indexed from, address indexed to, uint256 value);
    /// @notice `spender` may now spend `value` units of `holder`.
    event Approval(address indexed holder, address indexed spender, uint256 value);
    /// @notice `account` was frozen or set free.
    event Frozen(address indexed account, bool value);

    /// @notice Sets name, symbol and cap, and mints `initialSupply` units to the deployer.
    /// @dev Reverts with "cap too small" when the initial supply is above the cap or the cap is zero. Emits Transfer
    /// from the zero address, also for an initial supply of zero. The initial supply counts as minted.
    /// @param tokenName Name of the token.
    /// @param tokenSymbol Ticker of the token.
    /// @param supplyCap Most units that may exist.
    /// @param initialSupply Units that the deployer starts with.
    constructor(string tokenName, string tokenSymbol, uint256 supplyCap, uint256 initialSupply) public {
        require(supplyCap > 0 && initialSupply <= supplyCap, "cap too small");
        name = tokenName;
        symbol = tokenSymbol;
        cap = supplyCap;
        totalSupply = initialSupply;
        everMinted = initialSupply;
        balances[msg.sender] = initialSupply;
        emit Transfer(address(0), msg.sender, initialSupply);
    }

    /// @notice Returns the units that `account` holds.
    function balanceOf(address account) public view returns (uint256) {
        return balances[account];
    }

    /// @notice Returns the units that `spender` may still spend for `holder`.
    function allowance(address holder, address spender) public view returns (uint256) {
        return allowances[holder][spender];
    }

    /// @notice Returns how many more units can be minted before the cap is reached.
    function mintable() public view returns (uint256) {
        return cap.minus(totalSupply);
    }

    /// @notice Sends `value` units of the caller to `to`.
    /// @dev Reverts while halted; see move for the other conditions. Emits Transfer.
    /// @return Always true.
    function transfer(address to, uint256 value) public whileRunning returns (bool) {
        move(msg.sender, to, value);
        return true;
    }

    /// @notice Lets `spender` spend `value` units of the caller, in place of what was allowed before.
    /// @dev Works while halted too. Reverts with "no spender" for the zero address. Emits Approval.
    /// @return Always true.
    function approve(address spender, uint256 value) public returns (bool) {
        setAllowance(msg.sender, spender, value);
        return true;
    }

    /// @notice Lets `spender` spend `extra` units more than before.
    /// @dev Reverts when the sum does not fit. Emits Approval with the new allowance.
    /// @return Always true.
    function increaseAllowance(address spender, uint256 extra) public returns (bool) {
        setAllowance(msg.sender, spender, allowances[msg.sender][spender].plus(extra));
        return true;
    }

    /// @notice Lets `spender` spend `less` units fewer than before, but never fewer than none: what is above the
    /// allowance is cut off.
    /// @dev Emits Approval with the new allowance.
    /// @return Always true.
    function decreaseAllowance(address spender, uint256 less) public returns (bool) {
        uint256 current = allowances[msg.sender][spender];
        setAllowance(msg.sender, spender, less >= current ? 0 : current - less);
        return true;
    }

    /// @notice Sends `value` units from `from` to `to` out of the caller's allowance.
    /// @dev Reverts while halted, when the allowance is smaller than `value` ("not enough"), and under the conditions
    /// of move. The allowance shrinks by `value`, however large it is; no Approval is emitted for that. Emits Transfer.
    /// @return Always true.
    function transferFrom(address from, address to, uint256 value) public whileRunning returns (bool) {
        allowances[from][msg.sender] = allowances[from][msg.sender].minus(value);
        move(from, to, value);
        return true;
    }

    /// @notice Sends to each of `recipients` the units at the same place in `values`.
    /// @dev Reverts while halted, with "lengths differ" when the lists are not equally long, with "empty" when they
    /// have no element, and under the conditions of move. Emits one Transfer a recipient, in order.
    /// @return The sum of what was sent.
    function payMany(address[] recipients, uint256[] values) public whileRunning returns (uint256) {
        require(recipients.length == values.length, "lengths differ");
        require(recipients.length > 0, "empty");
        uint256 sum = 0;
        for (uint256 i = 0; i < recipients.length; i++) {
            move(msg.sender, recipients[i], values[i]);
            sum = sum.plus(values[i]);
        }
        return sum;
    }

    /// @notice Makes `value` new units for `to`.
    /// @dev Only the owner. Reverts while halted, with "above cap" when the supply would pass the cap, with "no
    /// recipient" for the zero address, and with "frozen" for a frozen account. Emits Transfer from the zero address.
    /// @return The supply afterwards.
    function mint(address to, uint256 value) public onlyOwner whileRunning returns (uint256) {
        require(to != address(0), "no recipient");
        require(!frozen[to], "frozen");
        uint256 supply = totalSupply.plus(value);
        require(supply <= cap, "above cap");
        totalSupply = supply;
        everMinted = everMinted.plus(value);
        balances[to] = balances[to].plus(value);
        emit Transfer(address(0), to, value);
        return supply;
    }

    /// @notice Destroys `value` units of the caller.
    /// @dev Reverts while halted, with "frozen" for a frozen caller, and with "not enough" when the caller holds less.
    /// The cap stays, so that burned units can be minted anew. Emits Transfer to the zero address.
    function burn(uint256 value) public whileRunning {
        require(!frozen[msg.sender], "frozen");
        balances[msg.sender] = balances[msg.sender].minus(value);
        totalSupply = totalSupply.minus(value);
        emit Transfer(msg.sender, address(0), value);
    }

    /// @notice Freezes `account`, or sets it free.
    /// @dev Only the owner, who cannot be frozen ("owner"). Emits Frozen, also when nothing changes.
    function setFrozen(address account, bool value) public onlyOwner {
        require(account != owner, "owner");
        frozen[account] = value;
        emit Frozen(account, value);
    }

    /// @dev Moves `value` units. Reverts with "no recipient" for the zero address, with "frozen" when either account is
    /// frozen, and with "not enough" when `from` holds less. A value of zero is allowed. Emits Transfer.
    function move(address from, address to, uint256 value) internal {
        require(to != address(0), "no recipient");
        require(!frozen[from] && !frozen[to], "frozen");
        balances[from] = balances[from].minus(value);
        balances[to] = balances[to].plus(value);
        emit Transfer(from, to, value);
    }

    /// @dev Sets an allowance. Reverts with "no spender" for the zero address. Emits Approval.
    function setAllowance(address holder, address spender, uint256 value) internal {
        require(spender != address(0), "no spender");
        allowances[holder][spender] = value;
        emit Approval(holder, spender, value);
    }
}
