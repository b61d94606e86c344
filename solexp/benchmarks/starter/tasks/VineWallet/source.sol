// SPDX-License-Identifier: MIT
pragma solidity ^0.7.5;

/// @title How much of an amount has ripened
library Ripening {
    /// @notice Returns the ripe part of `amount`: nothing before `cliff` seconds have passed, then in proportion to the
    /// seconds passed of `length`, rounded down, and all of it from the end on.
    function ripe(uint256 amount, uint256 cliff, uint256 length, uint256 passed) internal pure returns (uint256) {
        if (passed < cliff) {
            return 0;
        }
        return passed >= length ? amount : (amount * passed) / length;
    }
}

/// @title A contract with one grantor, who can pass the office on
abstract contract Granted {
    /// @notice Who grants.
    address payable public grantor;

    event GrantorChanged(address indexed from, address indexed to);

    constructor() {
        grantor = msg.sender;
    }

    modifier onlyGrantor() {
        require(msg.sender == grantor, "grantor only");
        _;
    }

    /// @notice Passes the office on at once. What is revoked later goes to the new grantor.
    function passOn(address payable to) external onlyGrantor {
        require(to != address(0) && to != grantor, "bad grantor");
        emit GrantorChanged(grantor, to);
        grantor = to;
    }
}

/// @title Vine wallet: ether that ripens for its beneficiaries over time
/// @notice Each grant has a cliff, before which nothing can be taken, and a length, after which all can. A revocable grant
/// can be revoked: what is not ripe goes back to the grantor. A grant that is suspended ripens on, but pays nothing until
/// it is resumed or revoked.
contract VineWallet is Granted {
    /// @notice One grant.
    struct Grant {
        address beneficiary;
        uint48 start;
        uint48 cliff;
        bool revocable;
        bool suspended;
        uint48 length;
        uint128 amount;
        uint128 released;
    }

    /// @notice No grant is longer than this many seconds.
    uint256 public constant LONGEST = 10 * 365 days;
    /// @notice The grants, numbered from 0. A revoked one keeps as its amount what was ripe.
    Grant[] public grants;
    /// @notice Wei that belong to grants and have not been released.
    uint256 public reserved;
    /// @notice Wei that each account has received from grants.
    mapping(address => uint256) public received;
    /// @notice The account to which a beneficiary has offered a grant; zero when to nobody.
    mapping(uint256 => address) public offers;
    /// @dev When something was released last, by grant; read by no function.
    mapping(uint256 => uint256) private lastRelease;

    /// @notice A grant was made.
    event Planted(uint256 indexed id, address indexed beneficiary, uint256 amount, uint256 start, uint256 cliff, uint256 length);
    /// @notice `amount` wei of a grant went to `to`.
    event Released(uint256 indexed id, address indexed to, uint256 amount);
    /// @notice A grant ended; `returned` wei went back to the grantor.
    event Revoked(uint256 indexed id, uint256 returned);
    /// @notice A grant was suspended, or resumed.
    event Suspended(uint256 indexed id, bool suspended);
    /// @notice A grant has another beneficiary.
    event Moved(uint256 indexed id, address indexed from, address indexed to);

    modifier known(uint256 id) {
        require(id < grants.length, "no such grant");
        _;
    }

    /// @notice Takes ether that belongs to no grant yet.
    receive() external payable {}

    /// @notice Returns the number of grants.
    function count() external view returns (uint256) {
        return grants.length;
    }

    /// @notice Returns the wei of a grant that are ripe, the released ones included.
    /// @dev Reverts with "no such grant". All of a grant that was revoked is ripe. Nothing is ripe before the start.
    function ripe(uint256 id) public view known(id) returns (uint256) {
        Grant memory grant_ = grants[id];
        if (grant_.length == 0) {
            return grant_.amount;
        }
        if (block.timestamp < grant_.start) {
            return 0;
        }
        return Ripening.ripe(grant_.amount, grant_.cliff, grant_.length, block.timestamp - grant_.start);
    }

    /// @notice Returns the wei of a grant that can be released now; none while it is suspended.
    function releasable(uint256 id) public view returns (uint256) {
        uint256 all = ripe(id);
        return grants[id].suspended ? 0 : all - grants[id].released;
    }

    /// @notice Returns the wei that can be granted: those that belong to no grant.
    function unreserved() public view returns (uint256) {
        return address(this).balance - reserved;
    }

    /// @notice Makes a grant of `amount` wei, out of those sent along and those that belong to no grant.
    /// @dev Only the grantor. Reverts with "bad beneficiary" for the zero address and for this wallet; with "bad terms" for a
    /// length of zero or above LONGEST, a cliff above the length, and a start more than LONGEST away on either side; with
    /// "no amount" for zero; with "not covered" when less is unreserved. Emits Planted.
    /// @return id The grant's number.
    function plant(address beneficiary, uint128 amount, uint48 start, uint48 cliff, uint48 length, bool revocable)
        external
        payable
        onlyGrantor
        returns (uint256 id)
    {
        require(beneficiary != address(0) && beneficiary != address(this), "bad beneficiary");
        require(length > 0 && length <= LONGEST && cliff <= length, "bad terms");
        require(start <= block.timestamp + LONGEST && start + LONGEST >= block.timestamp, "bad terms");
        require(amount > 0, "no amount");
        require(amount <= unreserved(), "not covered");
        id = grants.length;
        reserved += amount;
        grants.push(Grant(beneficiary, start, cliff, revocable, false, length, amount, 0));
        emit Planted(id, beneficiary, amount, start, cliff, length);
    }

    /// @notice Sends what is releasable of a grant to its beneficiary. Anybody may call it.
    /// @dev Reverts with "no such grant", with "suspended", with "nothing ripe" when there is nothing, and with "not taken"
    /// when the beneficiary refuses the ether. Emits Released.
    /// @return amount The wei.
    function release(uint256 id) external known(id) returns (uint256 amount) {
        require(!grants[id].suspended, "suspended");
        amount = releasable(id);
        require(amount > 0, "nothing ripe");
        pay(id, amount);
    }

    /// @notice Ends a revocable grant: what is ripe and not released goes to the beneficiary, the rest to the grantor.
    /// @dev Only the grantor. Reverts with "no such grant", with "not revocable" (also for a grant revoked before), with
    /// "all ripe" when nothing would come back, and with "not taken". A suspended grant is resumed. Emits Released unless
    /// nothing is owed to the beneficiary, then Revoked.
    function revoke(uint256 id) external onlyGrantor known(id) {
        Grant storage grant_ = grants[id];
        require(grant_.revocable, "not revocable");
        uint256 kept = ripe(id);
        uint256 returned = grant_.amount - kept;
        require(returned > 0, "all ripe");
        uint256 due = kept - grant_.released;
        grant_.amount = uint128(kept);
        grant_.length = 0;
        grant_.revocable = false;
        grant_.suspended = false;
        reserved -= returned;
        if (due > 0) {
            pay(id, due);
        }
        emit Revoked(id, returned);
        send(grantor, returned);
    }

    /// @notice Suspends a grant, or resumes it.
    /// @dev Only the grantor. Reverts with "no such grant", with "not revocable" for a grant that is not, and with "nothing to
    /// do" when it stands so already. Emits Suspended.
    function suspend(uint256 id, bool value) external onlyGrantor known(id) {
        require(grants[id].revocable, "not revocable");
        require(grants[id].suspended != value, "nothing to do");
        grants[id].suspended = value;
        emit Suspended(id, value);
    }

    /// @notice Offers a grant to another account, in place of an earlier offer; zero takes the offer back.
    /// @dev Only the beneficiary ("beneficiary only"). Reverts with "no such grant".
    function offer(uint256 id, address to) external known(id) {
        require(msg.sender == grants[id].beneficiary, "beneficiary only");
        offers[id] = to;
    }

    /// @notice Becomes the beneficiary of a grant that was offered to the caller.
    /// @dev Reverts with "not offered". The offer ends. What is releasable is not released first. Emits Moved.
    function accept(uint256 id) external {
        require(offers[id] == msg.sender, "not offered");
        emit Moved(id, grants[id].beneficiary, msg.sender);
        grants[id].beneficiary = msg.sender;
        delete offers[id];
    }

    /// @dev Books and sends wei of a grant. Emits Released.
    function pay(uint256 id, uint256 amount) private {
        Grant storage grant_ = grants[id];
        grant_.released += uint128(amount);
        reserved -= amount;
        received[grant_.beneficiary] += amount;
        lastRelease[id] = block.timestamp;
        emit Released(id, grant_.beneficiary, amount);
        send(grant_.beneficiary, amount);
    }

    /// @dev Sends wei. Reverts with "not taken".
    function send(address to, uint256 amount) private {
        (bool taken, ) = to.call{value: amount}("");
        require(taken, "not taken");
    }
}
