// SPDX-License-Identifier: MIT
pragma solidity ^0.7.4;

/// @title The ERC20 interface
interface IERC20 {
    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);

    function totalSupply() external view returns (uint256);

    function balanceOf(address account) external view returns (uint256);

    function allowance(address owner, address spender) external view returns (uint256);

    function transfer(address to, uint256 value) external returns (bool);

    function approve(address spender, uint256 value) external returns (bool);

    function transferFrom(
        address from,
        address to,
        uint256 value
    ) external returns (bool);
}

/// @title Additions and subtractions with checks
library Plain {
    function add(uint256 a, uint256 b) internal pure returns (uint256 c) {
        c = a + b;
        require(c >= a, "Plain: overflow");
    }

    function sub(uint256 a, uint256 b) internal pure returns (uint256) {
        require(b <= a, "Plain: underflow");
        return a - b;
    }
}

/// @title How much of a grant has vested
library Calendar {
    /// @notice Returns the vested part of `amount`: nothing before the cliff, then in proportion to the time since
    /// `start`, rounded down, and all from the end on.
    function vested(
        uint256 amount,
        uint256 start,
        uint256 cliff,
        uint256 length,
        uint256 time
    ) internal pure returns (uint256) {
        if (time < start + cliff) {
            return 0;
        }
        if (time >= start + length) {
            return amount;
        }
        return (amount * (time - start)) / length;
    }
}

/// @title Crew token: an ERC20 token whose grants vest over time
/// @notice The captain grants tokens to the crew. A granted amount is in the holder's balance at once, but what has not
/// vested cannot be moved. A revocable grant can be ended: what has not vested goes back to the captain.
contract CrewToken is IERC20 {
    using Plain for uint256;

    /// @notice A grant of locked tokens; an account has at most one at a time.
    struct Grant {
        uint128 amount;
        uint40 start;
        uint40 cliff;
        uint40 length;
        bool revocable;
    }

    /// @notice Name of the token.
    string public constant name = "Crew";
    /// @notice Ticker of the token.
    string public constant symbol = "CREW";
    /// @notice Number of decimals that wallets show.
    uint8 public constant decimals = 18;
    /// @notice Grants may not last longer than this many seconds.
    uint256 public constant LONGEST = 4 * 365 days;
    /// @notice Who grants and revokes.
    address public captain;
    /// @notice Units in existence.
    uint256 public override totalSupply;
    /// @notice The grant of each account; all zero when there is none.
    mapping(address => Grant) public grants;
    /// @notice Units held by each account, the locked ones included.
    mapping(address => uint256) public override balanceOf;
    /// @notice Units that an owner (first key) lets a spender (second key) spend.
    mapping(address => mapping(address => uint256)) public override allowance;
    /// @dev How often each account was given a grant; read by no function.
    mapping(address => uint32) private grantCount;

    /// @notice `holder` was granted `amount` units that vest from `start` on.
    event Granted(address indexed holder, uint256 amount, uint256 start, uint256 cliff, uint256 length);
    /// @notice The grant of `holder` ended; `returned` units went back.
    event Revoked(address indexed holder, uint256 returned);
    /// @notice `to` became captain.
    event CaptainChanged(address indexed from, address indexed to);

    modifier onlyCaptain() {
        require(msg.sender == captain, "CrewToken: captain only");
        _;
    }

    /// @notice Mints `supply` units to the deployer, who becomes captain. Emits Transfer from the zero address.
    constructor(uint256 supply) {
        captain = msg.sender;
        totalSupply = supply;
        balanceOf[msg.sender] = supply;
        emit Transfer(address(0), msg.sender, supply);
    }

    /// @notice Returns the units of `holder` that have not vested; zero without a grant.
    function lockedOf(address holder) public view returns (uint256) {
        Grant storage grant_ = grants[holder];
        uint256 amount = grant_.amount;
        return
            amount.sub(
                Calendar.vested(amount, grant_.start, grant_.cliff, grant_.length, block.timestamp)
            );
    }

    /// @notice Returns the units that `holder` can move now: the balance less what is locked.
    function spendableOf(address holder) public view returns (uint256) {
        return balanceOf[holder].sub(lockedOf(holder));
    }

    /// @notice Sends `value` units of the caller to `to`. See move.
    /// @return Always true.
    function transfer(address to, uint256 value) external override returns (bool) {
        move(msg.sender, to, value);
        return true;
    }

    /// @notice Lets `spender` spend `value` units of the caller.
    /// @dev To prevent double spending, an allowance can only be changed from or to zero ("CrewToken: reset first").
    /// Emits Approval.
    /// @return Always true.
    function approve(address spender, uint256 value) external override returns (bool) {
        require(value == 0 || allowance[msg.sender][spender] == 0, "CrewToken: reset first");
        allowance[msg.sender][spender] = value;
        emit Approval(msg.sender, spender, value);
        return true;
    }

    /// @notice Sends `value` units from `from` to `to` out of the caller's allowance, which shrinks by that much.
    /// @dev Reverts when the allowance is smaller, and as move does. Emits Transfer, then Approval with what is left.
    /// @return Always true.
    function transferFrom(
        address from,
        address to,
        uint256 value
    ) external override returns (bool) {
        uint256 left = allowance[from][msg.sender].sub(value);
        move(from, to, value);
        allowance[from][msg.sender] = left;
        emit Approval(from, msg.sender, left);
        return true;
    }

    /// @notice Grants `amount` of the captain's own units to `holder`.
    /// @dev Only the captain. Reverts with "CrewToken: bad terms" unless the amount is not zero and fits 128 bits, the
    /// start (seconds since 1970) is not zero and fits 40 bits, and cliff <= length <= LONGEST with length not zero;
    /// with "CrewToken: still vesting" while an earlier grant of the holder has locked units; and as move does. A fully
    /// vested grant is replaced. The start may lie in the past. Emits Transfer, then Granted.
    function grant(
        address holder,
        uint256 amount,
        uint256 start,
        uint256 cliff,
        uint256 length,
        bool revocable
    ) external onlyCaptain {
        require(amount > 0 && amount <= uint128(-1), "CrewToken: bad terms");
        require(start > 0 && start <= uint40(-1), "CrewToken: bad terms");
        require(length > 0 && cliff <= length && length <= LONGEST, "CrewToken: bad terms");
        require(lockedOf(holder) == 0, "CrewToken: still vesting");
        move(msg.sender, holder, amount);
        grants[holder] = Grant(uint128(amount), uint40(start), uint40(cliff), uint40(length), revocable);
        grantCount[holder] += 1;
        emit Granted(holder, amount, start, cliff, length);
    }

    /// @notice Grants to several holders alike; the terms are those of a revocable grant that starts now.
    /// @dev Only the captain. Reverts as a whole when one of them cannot be granted to. Emits as grant does, for each in
    /// order.
    /// @return total The sum of what was granted.
    function grantCrew(
        address[] calldata holders,
        uint256 amount,
        uint256 cliff,
        uint256 length
    ) external onlyCaptain returns (uint256 total) {
        require(amount > 0 && amount <= uint128(-1), "CrewToken: bad terms");
        require(length > 0 && cliff <= length && length <= LONGEST, "CrewToken: bad terms");
        for (uint256 i = 0; i < holders.length; i++) {
            require(lockedOf(holders[i]) == 0, "CrewToken: still vesting");
            move(msg.sender, holders[i], amount);
            grants[holders[i]] = Grant(
                uint128(amount),
                uint40(block.timestamp),
                uint40(cliff),
                uint40(length),
                true
            );
            grantCount[holders[i]] += 1;
            emit Granted(holders[i], amount, block.timestamp, cliff, length);
            total = total.add(amount);
        }
    }

    /// @notice Ends the grant of `holder`: what has vested stays with the holder, the rest goes to the captain.
    /// @dev Only the captain. Reverts with "CrewToken: not revocable" when the grant is not, or there is none. A fully
    /// vested grant can be revoked too, and returns nothing. Emits Transfer (also of zero), then Revoked.
    /// @return returned The units that went back.
    function revoke(address holder) external onlyCaptain returns (uint256 returned) {
        require(grants[holder].revocable, "CrewToken: not revocable");
        returned = lockedOf(holder);
        delete grants[holder];
        move(holder, msg.sender, returned);
        emit Revoked(holder, returned);
    }

    /// @notice Destroys `value` unlocked units of the caller.
    /// @dev Reverts with "CrewToken: locked" when fewer are spendable. Emits Transfer to the zero address.
    function burn(uint256 value) external {
        require(value <= spendableOf(msg.sender), "CrewToken: locked");
        balanceOf[msg.sender] = balanceOf[msg.sender].sub(value);
        totalSupply = totalSupply.sub(value);
        emit Transfer(msg.sender, address(0), value);
    }

    /// @notice Makes `to` captain. Only the captain; reverts with "CrewToken: nobody" for the zero address. Emits
    /// CaptainChanged. Grants stay as they are.
    function setCaptain(address to) external onlyCaptain {
        require(to != address(0), "CrewToken: nobody");
        captain = to;
        emit CaptainChanged(msg.sender, to);
    }

    /// @dev Moves `value` units. Reverts with "CrewToken: nobody" for the zero address as recipient and with
    /// "CrewToken: locked" when fewer are spendable. Emits Transfer.
    function move(
        address from,
        address to,
        uint256 value
    ) private {
        require(to != address(0), "CrewToken: nobody");
        require(value <= spendableOf(from), "CrewToken: locked");
        balanceOf[from] = balanceOf[from].sub(value);
        balanceOf[to] = balanceOf[to].add(value);
        emit Transfer(from, to, value);
    }
}
