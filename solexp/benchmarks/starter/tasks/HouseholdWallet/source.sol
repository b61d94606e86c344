// SPDX-License-Identifier: MIT
pragma solidity ^0.6.9;

/// @title A set of accounts that can be listed
library Roster {
    struct Members {
        address[] list;
        mapping(address => uint256) place;
    }

    /// @notice Adds `account`; returns false when it is there already.
    function add(Members storage self, address account) internal returns (bool) {
        if (self.place[account] != 0) {
            return false;
        }
        self.list.push(account);
        self.place[account] = self.list.length;
        return true;
    }

    /// @notice Takes `account` out; returns false when it is not there. The last member takes its place.
    function remove(Members storage self, address account) internal returns (bool) {
        uint256 place = self.place[account];
        if (place == 0) {
            return false;
        }
        address last = self.list[self.list.length - 1];
        self.list[place - 1] = last;
        self.place[last] = place;
        self.list.pop();
        delete self.place[account];
        return true;
    }

    /// @notice Returns whether `account` is there.
    function has(Members storage self, address account) internal view returns (bool) {
        return self.place[account] != 0;
    }
}

/// @title Takes ether and tells of it
abstract contract Purse {
    /// @notice `from` put `amount` wei in.
    event Received(address indexed from, uint256 amount);

    receive() external payable {
        emit Received(msg.sender, msg.value);
    }
}

/// @title Household wallet: spending that several must agree to, with pocket money
/// @notice Members submit plans (a call with ether and data), confirm them, and carry them out once enough have
/// confirmed. Without any confirmation a member may draw a little pocket money a day. The wallet changes its own members
/// and rules by plans that call it.
contract HouseholdWallet is Purse {
    using Roster for Roster.Members;

    /// @notice A call to be made.
    struct Plan {
        address payable to;
        uint256 value;
        bytes data;
        bool done;
        uint256 submittedAt;
    }

    /// @notice Plans older than this can be neither confirmed nor carried out.
    uint256 public constant LIFETIME = 14 days;
    /// @notice Number of confirmations that a plan needs.
    uint256 public needed;
    /// @notice Wei that each member may draw a day.
    uint256 public pocketMoney;
    /// @notice All plans, by their numbers.
    Plan[] public plans;
    /// @notice Whether a member (second key) confirms a plan (first key).
    mapping(uint256 => mapping(address => bool)) public confirmed;
    /// @notice Wei that each member has drawn on the last day on which it drew.
    mapping(address => uint256) public drawn;
    /// @dev The day, counted from 1970, on which each member last drew.
    mapping(address => uint256) private drawnOn;
    /// @dev The members.
    Roster.Members private members;

    /// @notice `member` submitted plan `number`.
    event Submitted(uint256 indexed number, address indexed member, address to, uint256 value);
    /// @notice `member` confirms plan `number`, or no longer.
    event Confirmation(uint256 indexed number, address indexed member, bool value);
    /// @notice Plan `number` was carried out.
    event Done(uint256 indexed number, bytes answer);
    /// @notice `member` drew pocket money.
    event Drawn(address indexed member, uint256 amount);
    /// @notice `account` became a member, or ceased to be one.
    event MemberSet(address indexed account, bool value);
    /// @notice The rules changed.
    event RulesSet(uint256 needed, uint256 pocketMoney);

    modifier onlyMember() {
        require(members.has(msg.sender), "members only");
        _;
    }

    modifier onlyWallet() {
        require(msg.sender == address(this), "wallet only");
        _;
    }

    /// @notice Names the first members and sets the rules; ether may come along.
    /// @dev Reverts with "twice" for a member named twice, with "nobody" for the zero address, and with "bad number"
    /// unless 0 < confirmations <= number of members. Emits MemberSet for each member in order, then RulesSet.
    /// @param first The members.
    /// @param confirmations Number of confirmations that a plan needs.
    /// @param pocket Wei that a member may draw a day.
    constructor(address[] memory first, uint256 confirmations, uint256 pocket) public payable {
        for (uint256 i = 0; i < first.length; i++) {
            require(first[i] != address(0), "nobody");
            require(members.add(first[i]), "twice");
            emit MemberSet(first[i], true);
        }
        setRulesTo(confirmations, pocket);
    }

    /// @notice Returns the members, in order of joining as long as none has left.
    function memberList() external view returns (address[] memory) {
        return members.list;
    }

    /// @notice Returns whether `account` is a member.
    function isMember(address account) external view returns (bool) {
        return members.has(account);
    }

    /// @notice Returns the number of plans.
    function planCount() external view returns (uint256) {
        return plans.length;
    }

    /// @notice Returns how many of the present members confirm a plan. Those who have left do not count.
    function confirmations(uint256 number) public view returns (uint256 count) {
        for (uint256 i = 0; i < members.list.length; i++) {
            if (confirmed[number][members.list[i]]) {
                count++;
            }
        }
    }

    /// @notice Returns the wei that `account` may draw today; zero for others than members.
    function drawable(address account) public view returns (uint256) {
        if (!members.has(account)) {
            return 0;
        }
        uint256 used = drawnOn[account] == block.timestamp / 1 days ? drawn[account] : 0;
        return used < pocketMoney ? pocketMoney - used : 0;
    }

    /// @notice Submits a plan, which its member confirms by that.
    /// @dev Only members. Emits Submitted, then Confirmation.
    /// @return number The plan's number; the first is 0.
    function submit(
        address payable to,
        uint256 value,
        bytes calldata data
    ) external onlyMember returns (uint256 number) {
        number = plans.length;
        plans.push(Plan(to, value, data, false, block.timestamp));
        emit Submitted(number, msg.sender, to, value);
        confirmed[number][msg.sender] = true;
        emit Confirmation(number, msg.sender, true);
    }

    /// @notice Confirms a plan, or takes a confirmation back.
    /// @dev Only members. Reverts with "no such plan", with "done", with "too old" (confirming only; taking back is
    /// always possible), and with "nothing to do" when nothing would change. Emits Confirmation.
    function confirm(uint256 number, bool value) external onlyMember {
        require(number < plans.length, "no such plan");
        Plan storage plan = plans[number];
        require(!plan.done, "done");
        require(!value || block.timestamp <= plan.submittedAt + LIFETIME, "too old");
        require(confirmed[number][msg.sender] != value, "nothing to do");
        confirmed[number][msg.sender] = value;
        emit Confirmation(number, msg.sender, value);
    }

    /// @notice Carries a plan out.
    /// @dev Only members. Reverts with "no such plan", with "done", with "too old" after LIFETIME, with "not confirmed"
    /// when too few present members confirm, and with "failed" when the call fails, so that it can be tried again.
    /// Emits Done with what the call returned.
    /// @return answer What the call returned.
    function carryOut(uint256 number) external onlyMember returns (bytes memory answer) {
        require(number < plans.length, "no such plan");
        Plan storage plan = plans[number];
        require(!plan.done, "done");
        require(block.timestamp <= plan.submittedAt + LIFETIME, "too old");
        require(confirmations(number) >= needed, "not confirmed");
        plan.done = true;
        bool worked;
        (worked, answer) = plan.to.call{value: plan.value}(plan.data);
        require(worked, "failed");
        emit Done(number, answer);
    }

    /// @notice Draws `amount` wei of the caller's pocket money.
    /// @dev Only members. Reverts with "too much" above what is drawable today, and when the wallet has less. Days begin
    /// at midnight UTC. Emits Drawn.
    function draw(uint256 amount) external onlyMember {
        require(amount <= drawable(msg.sender), "too much");
        uint256 today = block.timestamp / 1 days;
        if (drawnOn[msg.sender] != today) {
            drawnOn[msg.sender] = today;
            drawn[msg.sender] = 0;
        }
        drawn[msg.sender] += amount;
        emit Drawn(msg.sender, amount);
        msg.sender.transfer(amount);
    }

    /// @notice Makes `account` a member, or ends its membership.
    /// @dev Only the wallet itself. Reverts with "nobody" for the zero address, with "nothing to do", and with "too few"
    /// when fewer members than needed confirmations would be left. Emits MemberSet.
    function setMember(address account, bool value) external onlyWallet {
        require(account != address(0), "nobody");
        require(value ? members.add(account) : members.remove(account), "nothing to do");
        require(members.list.length >= needed, "too few");
        emit MemberSet(account, value);
    }

    /// @notice Sets the number of needed confirmations and the pocket money.
    /// @dev Only the wallet itself. Reverts with "bad number" unless 0 < confirmations <= number of members. Emits
    /// RulesSet.
    function setRules(uint256 confirmations_, uint256 pocket) external onlyWallet {
        setRulesTo(confirmations_, pocket);
    }

    /// @dev Sets the rules. See setRules.
    function setRulesTo(uint256 confirmations_, uint256 pocket) private {
        require(confirmations_ > 0 && confirmations_ <= members.list.length, "bad number");
        needed = confirmations_;
        pocketMoney = pocket;
        emit RulesSet(confirmations_, pocket);
    }
}
