// SPDX-License-Identifier: MIT
pragma solidity ^0.6.8;

/// @title Sums and differences with checks
library Checked {
    /// @notice Adds two amounts and reverts when the sum does not fit.
    function and(uint256 a, uint256 b) internal pure returns (uint256 c) {
        c = a + b;
        require(c >= a, "too large");
    }

    /// @notice Takes `b` from `a` and reverts when `b` is the larger.
    function less(uint256 a, uint256 b) internal pure returns (uint256) {
        require(b <= a, "too small");
        return a - b;
    }
}

/// @title Roles that admins give and take
contract Roles {
    /// @notice Gives and takes roles.
    bytes32 public constant ADMIN = "admin";
    /// @notice Makes units.
    bytes32 public constant MINTER = "minter";
    /// @notice Stops and resumes all movement.
    bytes32 public constant PAUSER = "pauser";
    /// @notice Freezes accounts.
    bytes32 public constant WARDEN = "warden";
    /// @notice Whether an account (second key) has a role (first key).
    mapping(bytes32 => mapping(address => bool)) public hasRole;

    /// @notice `account` was given a role, or lost it.
    event RoleChanged(bytes32 indexed role, address indexed account, bool held);

    constructor() public {
        hasRole[ADMIN][msg.sender] = true;
        emit RoleChanged(ADMIN, msg.sender, true);
    }

    modifier only(bytes32 role) {
        require(hasRole[role][msg.sender], "role missing");
        _;
    }

    /// @notice Gives `account` a role or takes it; refused where nothing would change. An admin cannot stop being one.
    function setRole(bytes32 role, address account, bool held) external only(ADMIN) {
        require(hasRole[role][account] != held, "nothing to do");
        require(role != ADMIN || account != msg.sender, "oneself");
        hasRole[role][account] = held;
        emit RoleChanged(role, account, held);
    }
}

/// @title Quarry token: an ERC20 token with roles, a pause, accounts frozen for a time, and minting that comes to an end
/// @notice Minters make units until the end of minting, so many in all on each day. Wardens freeze accounts until a moment:
/// a frozen account can receive, but neither send, nor spend for others, nor burn. While the token is paused no balance
/// moves.
contract QuarryToken is Roles {
    using Checked for uint256;

    /// @notice Name of the token.
    string public constant name = "Quarry";
    /// @notice Ticker of the token.
    string public constant symbol = "QRY";
    /// @notice Number of decimals that wallets show.
    uint8 public constant decimals = 8;
    /// @notice No account can be frozen for more seconds than this.
    uint256 public constant LONGEST_FREEZE = 30 days;
    /// @notice Units in existence.
    uint256 public totalSupply;
    /// @notice Last second in which units can be made, in seconds since 1970.
    uint256 public mintEnds;
    /// @notice Units that can be made on one day.
    uint256 public dailyQuota;
    /// @notice Whether the token is paused.
    bool public paused;
    /// @notice Units held by each account.
    mapping(address => uint256) public balanceOf;
    /// @notice Units that an owner (first key) lets a spender (second key) spend.
    mapping(address => mapping(address => uint256)) public allowance;
    /// @notice Last second for which each account is frozen; 0 for those that never were, or were set free.
    mapping(address => uint256) public frozenUntil;
    /// @dev The day, counted from 1970, of mintedOnDay.
    uint256 private mintDay;
    /// @dev Units made on mintDay.
    uint256 private mintedOnDay;
    /// @dev How often each account was frozen; read by no function.
    mapping(address => uint256) private freezes;

    /// @notice `value` units went from `from` to `to`. Minting comes from the zero address, burning goes to it.
    event Transfer(address indexed from, address indexed to, uint256 value);
    /// @notice `spender` may now spend `value` units of `owner`.
    event Approval(address indexed owner, address indexed spender, uint256 value);
    /// @notice `account` is frozen until and including `until`, or free when that is 0.
    event Frozen(address indexed account, uint256 until);
    /// @notice The token was paused, or resumed.
    event Paused(address indexed by, bool paused);
    /// @notice Minting ends earlier than before.
    event MintingShortened(uint256 ends);

    modifier whileRunning() {
        require(!paused, "paused");
        _;
    }

    modifier whileFree() {
        require(now > frozenUntil[msg.sender], "frozen");
        _;
    }

    /// @notice Sets until when, and how much a day, can be minted. The deployer is the first admin.
    /// @dev Reverts with "bad times" when the end lies in the past, and with "no quota" for a quota of zero.
    /// @param mintEnds_ Last second of minting, in seconds since 1970.
    /// @param dailyQuota_ Units that can be made on one day.
    constructor(uint256 mintEnds_, uint256 dailyQuota_) public {
        require(mintEnds_ >= now, "bad times");
        require(dailyQuota_ > 0, "no quota");
        mintEnds = mintEnds_;
        dailyQuota = dailyQuota_;
    }

    /// @notice Returns how many units can be made now: what is left of this day's quota, and nothing after the end.
    function mintable() public view returns (uint256) {
        if (now > mintEnds) {
            return 0;
        }
        return now / 1 days == mintDay ? dailyQuota.less(mintedOnDay) : dailyQuota;
    }

    /// @notice Makes `value` units for `to`.
    /// @dev Only minters, while not paused. Reverts with "over" after the end, with "quota" above what is mintable, and with
    /// "nobody" for the zero address. Emits Transfer from the zero address.
    function mint(address to, uint256 value) external only(MINTER) whileRunning {
        require(now <= mintEnds, "over");
        require(value <= mintable(), "quota");
        require(to != address(0), "nobody");
        if (now / 1 days != mintDay) {
            mintDay = now / 1 days;
            mintedOnDay = 0;
        }
        mintedOnDay = mintedOnDay.and(value);
        totalSupply = totalSupply.and(value);
        balanceOf[to] = balanceOf[to].and(value);
        emit Transfer(address(0), to, value);
    }

    /// @notice Has minting end earlier.
    /// @dev Only admins. Reverts with "bad times" unless `ends` lies before the present end. Emits MintingShortened.
    function shortenMinting(uint256 ends) external only(ADMIN) {
        require(ends < mintEnds, "bad times");
        mintEnds = ends;
        emit MintingShortened(ends);
    }

    /// @notice Sends `value` units of the caller to `to`.
    /// @dev Reverts while paused, while the caller is frozen, and under the conditions of move. Emits Transfer.
    /// @return Always true.
    function transfer(address to, uint256 value) external whileRunning whileFree returns (bool) {
        move(msg.sender, to, value);
        return true;
    }

    /// @notice Lets `spender` spend `value` units of the caller, in place of what was allowed before.
    /// @dev Works while paused and while frozen. Emits Approval.
    /// @return Always true.
    function approve(address spender, uint256 value) external returns (bool) {
        allowance[msg.sender][spender] = value;
        emit Approval(msg.sender, spender, value);
        return true;
    }

    /// @notice Sends `value` units from `from` to `to` out of the caller's allowance.
    /// @dev Reverts while paused, while the caller or `from` is frozen, with "too small" when less is allowed, and under the
    /// conditions of move. Emits Transfer, but no Approval.
    /// @return Always true.
    function transferFrom(address from, address to, uint256 value)
        external
        whileRunning
        whileFree
        returns (bool)
    {
        require(now > frozenUntil[from], "frozen");
        allowance[from][msg.sender] = allowance[from][msg.sender].less(value);
        move(from, to, value);
        return true;
    }

    /// @notice Destroys `value` units of the caller. The quota does not grow by them.
    /// @dev Reverts while paused, while the caller is frozen, and with "too small" when it holds less. Emits Transfer to the
    /// zero address.
    function burn(uint256 value) external whileRunning whileFree {
        balanceOf[msg.sender] = balanceOf[msg.sender].less(value);
        totalSupply = totalSupply.less(value);
        emit Transfer(msg.sender, address(0), value);
    }

    /// @notice Freezes `account` until and including the second `until`, or sets it free when that is 0.
    /// @dev Only wardens. A freeze can be made longer, not shorter: reverts with "too soon" for a moment that has passed or
    /// is not later than the present one, with "too long" for one more than LONGEST_FREEZE away, and with "not frozen" when
    /// an account that is free, or free again by now, would be set free. Emits Frozen.
    function freeze(address account, uint256 until) external only(WARDEN) {
        if (until == 0) {
            require(now <= frozenUntil[account], "not frozen");
        } else {
            require(until > frozenUntil[account] && until >= now, "too soon");
            require(until <= now + LONGEST_FREEZE, "too long");
            freezes[account] += 1;
        }
        frozenUntil[account] = until;
        emit Frozen(account, until);
    }

    /// @notice Stops all movement, or lets it go on.
    /// @dev Only pausers. Reverts with "nothing to do" when it stands so already. Emits Paused.
    function setPaused(bool value) external only(PAUSER) {
        require(paused != value, "nothing to do");
        paused = value;
        emit Paused(msg.sender, value);
    }

    /// @dev Moves `value` units. Reverts with "nobody" for the zero address and with "too small" when `from` holds less.
    /// Emits Transfer.
    function move(address from, address to, uint256 value) private {
        require(to != address(0), "nobody");
        balanceOf[from] = balanceOf[from].less(value);
        balanceOf[to] = balanceOf[to].and(value);
        emit Transfer(from, to, value);
    }
}
