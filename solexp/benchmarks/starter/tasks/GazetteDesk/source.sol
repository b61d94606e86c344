pragma solidity ^0.5.13;

/// @title Arithmetic with a look at overflow
library Exact {
    function add(uint256 a, uint256 b) internal pure returns (uint256 c) {
        c = a + b;
        require(c >= a, "overflow");
    }

    function sub(uint256 a, uint256 b) internal pure returns (uint256) {
        require(b <= a, "underflow");
        return a - b;
    }

    function mul(uint256 a, uint256 b) internal pure returns (uint256 c) {
        c = a * b;
        require(a == 0 || c / a == b, "overflow");
    }
}

/// @title Ether that accounts leave with a desk, to pay with later
contract Purse {
    using Exact for uint256;

    /// @notice Wei of each account.
    mapping(address => uint256) public purses;

    /// @notice The purse of `account` holds `held` wei now.
    event PurseChanged(address indexed account, uint256 held);

    /// @notice Adds the sent ether to the caller's purse.
    function fill() external payable {
        require(msg.value > 0, "nothing");
        put(msg.sender, msg.value);
    }

    function put(address account, uint256 amount) internal {
        purses[account] = purses[account].add(amount);
        emit PurseChanged(account, purses[account]);
    }

    function take(address account, uint256 amount) internal {
        purses[account] = purses[account].sub(amount);
        emit PurseChanged(account, purses[account]);
    }
}

/// @title Who runs a desk
contract Directed {
    /// @notice Who takes the desk's cut and lets publishers in.
    address public director;
    /// @notice Whether an account may make plans.
    mapping(address => bool) public publishers;

    event PublisherSet(address indexed account, bool value);

    constructor() internal {
        director = msg.sender;
    }

    modifier onlyDirector() {
        require(msg.sender == director, "director only");
        _;
    }

    /// @notice Lets `account` make plans, or ends that. Only the director.
    function setPublisher(address account, bool value) external onlyDirector {
        publishers[account] = value;
        emit PublisherSet(account, value);
    }
}

/// @title Gazette desk: subscriptions that are paid period by period
/// @notice Publishers make plans. A subscriber pays a period in advance, out of a purse, and the publisher collects the
/// next ones as they fall due. What the purse cannot pay is owed; after some grace the subscription rests until it is
/// paid. Either side can end a subscription.
contract GazetteDesk is Purse, Directed {
    using Exact for uint256;

    /// @notice The states of a subscription. Late: a period has begun that is not paid. Resting: the grace is over.
    enum State {None, Running, Late, Resting, Ended}

    /// @notice A plan: wei for a period of some seconds, and the seconds of grace.
    struct Plan {
        address publisher;
        uint96 price;
        uint32 period;
        uint32 grace;
        bool closed;
        string title;
    }

    /// @notice A subscription: paid up to a time, and at the price at which it was begun. When `cancelled` it ends then.
    struct Subscription {
        uint64 paidUntil;
        uint64 since;
        uint96 price;
        bool cancelled;
    }

    /// @notice The shortest period of a plan, in seconds.
    uint256 public constant SHORTEST = 1 days;
    /// @notice The longest grace of a plan, in periods.
    uint256 public constant LONGEST = 3;
    /// @notice Periods that can be paid at a time, at most.
    uint256 public constant MOST = 6;
    /// @notice Percent of every payment that is the director's; rounded down.
    uint256 public constant CUT = 3;
    /// @notice Number of plans; they are numbered from 1.
    uint256 public planCount;
    /// @notice The plans.
    mapping(uint256 => Plan) public plans;
    /// @notice The subscriptions by plan (first key) and subscriber.
    mapping(uint256 => mapping(address => Subscription)) public subscriptions;
    /// @notice Subscriptions of each plan that were begun and have not been ended.
    mapping(uint256 => uint256) public readers;
    /// @notice Wei that publishers and the director can take.
    mapping(address => uint256) public earned;
    /// @dev Wei that each subscriber has paid in all; read by no function.
    mapping(address => uint256) private paidInAll;

    /// @notice A plan was made, or closed to new subscribers.
    event PlanMade(uint256 indexed id, address indexed publisher, uint96 price, uint32 period, uint32 grace, string title);
    event PlanClosed(uint256 indexed id);
    /// @notice `reader` subscribed.
    event Subscribed(uint256 indexed id, address indexed reader, uint64 paidUntil);
    /// @notice `periods` were paid for `reader`, who has now paid until `paidUntil`.
    event Paid(uint256 indexed id, address indexed reader, uint256 periods, uint64 paidUntil);
    /// @notice `reader` will not go on after the paid time, or will after all.
    event Cancelled(uint256 indexed id, address indexed reader, bool value);
    /// @notice A subscription is no more.
    event Over(uint256 indexed id, address indexed reader, address by);

    /// @notice Makes the deployer director.
    constructor() public {}

    /// @notice Makes a plan.
    /// @dev Only publishers ("publishers only"). Reverts with "bad plan" for a price of zero, a period below SHORTEST or a
    /// grace above LONGEST periods. Emits PlanMade.
    /// @return The plan's number.
    function makePlan(uint96 price, uint32 period, uint32 grace, string calldata title) external returns (uint256) {
        require(publishers[msg.sender], "publishers only");
        require(price > 0 && period >= SHORTEST && grace <= LONGEST * period, "bad plan");
        planCount = planCount.add(1);
        plans[planCount] = Plan(msg.sender, price, period, grace, false, title);
        emit PlanMade(planCount, msg.sender, price, period, grace, title);
        return planCount;
    }

    /// @notice Closes a plan to new subscribers; those it has can go on.
    /// @dev Only its publisher or the director ("not yours"). Reverts with "closed". Emits PlanClosed.
    function closePlan(uint256 id) external {
        require(msg.sender == plans[id].publisher || msg.sender == director, "not yours");
        require(!plans[id].closed, "closed");
        plans[id].closed = true;
        emit PlanClosed(id);
    }

    /// @notice Returns the state of a subscription.
    /// @dev None before it is begun and after it is over; Running until paidUntil (that second included); then Ended when
    /// cancelled, Late while the grace lasts (its last second included), and Resting.
    function stateOf(uint256 id, address reader) public view returns (State) {
        Subscription storage found = subscriptions[id][reader];
        if (found.since == 0) return State.None;
        if (now <= found.paidUntil) return State.Running;
        if (found.cancelled) return State.Ended;
        return now <= uint256(found.paidUntil).add(plans[id].grace) ? State.Late : State.Resting;
    }

    /// @notice Returns the wei that `reader` owes for periods that have begun and are not paid; zero unless Late or
    /// Resting. A period begins in the second after the one before has ended; while Resting none begins.
    function owed(uint256 id, address reader) public view returns (uint256) {
        State state = stateOf(id, reader);
        if (state != State.Late && state != State.Resting) return 0;
        Plan storage plan = plans[id];
        Subscription storage found = subscriptions[id][reader];
        uint256 time = state == State.Late ? now - found.paidUntil : plan.grace;
        return time.add(plan.period).sub(1) / plan.period * found.price;
    }

    /// @notice Subscribes the caller, and pays the first period out of its purse, to which the sent ether is added first.
    /// @dev Reverts with "no such plan", with "closed", with "subscribed" unless the state is None or Ended, and when the
    /// purse holds less. A subscription that has Ended is begun anew. Emits PurseChanged, then Subscribed.
    function subscribe(uint256 id) external payable {
        Plan storage plan = plans[id];
        require(plan.publisher != address(0), "no such plan");
        require(!plan.closed, "closed");
        State state = stateOf(id, msg.sender);
        require(state == State.None || state == State.Ended, "subscribed");
        if (msg.value > 0) put(msg.sender, msg.value);
        pay(msg.sender, plan.publisher, plan.price);
        if (state == State.None) readers[id] = readers[id].add(1);
        uint64 until = uint64(now.add(plan.period));
        subscriptions[id][msg.sender] = Subscription(until, uint64(now), plan.price, false);
        emit Subscribed(id, msg.sender, until);
    }

    /// @notice Collects from the purse of `reader` the periods that are owed, or as many of them as it can pay.
    /// @dev Only the plan's publisher ("not yours"). Reverts with "not due" unless Late, and with "empty purse" when not
    /// even one can be paid. Emits PurseChanged, then Paid.
    /// @return periods The number of periods paid.
    function collect(uint256 id, address reader) external returns (uint256 periods) {
        Plan storage plan = plans[id];
        require(msg.sender == plan.publisher, "not yours");
        require(stateOf(id, reader) == State.Late, "not due");
        Subscription storage found = subscriptions[id][reader];
        uint256 until = found.paidUntil;
        while (until < now && purses[reader] >= periods.add(1).mul(found.price)) {
            until = until.add(plan.period);
            periods++;
        }
        require(periods > 0, "empty purse");
        pay(reader, plan.publisher, periods.mul(found.price));
        found.paidUntil = uint64(until);
        emit Paid(id, reader, periods, found.paidUntil);
    }

    /// @notice Pays `periods` more out of the caller's purse, to which the sent ether is added first.
    /// @dev A running subscription is paid from paidUntil on, and so is a late one; a resting one pays what it owes as
    /// well and goes on from now. Reverts with "nothing" for zero, with "not subscribed" when None or Ended, with "cancelled",
    /// with "too many" above MOST, and when the purse holds less. Emits PurseChanged, then Paid (with `periods`).
    function renew(uint256 id, uint256 periods) external payable {
        State state = stateOf(id, msg.sender);
        Subscription storage found = subscriptions[id][msg.sender];
        require(periods > 0, "nothing");
        require(periods <= MOST, "too many");
        require(state != State.None && state != State.Ended, "not subscribed");
        require(!found.cancelled, "cancelled");
        if (msg.value > 0) put(msg.sender, msg.value);
        uint256 from = found.paidUntil;
        uint256 amount = periods.mul(found.price);
        if (state == State.Resting) {
            from = now;
            amount = amount.add(owed(id, msg.sender));
        }
        pay(msg.sender, plans[id].publisher, amount);
        found.paidUntil = uint64(from.add(periods.mul(plans[id].period)));
        emit Paid(id, msg.sender, periods, found.paidUntil);
    }

    /// @notice Lets the caller's subscription end with the time paid for, or go on after all.
    /// @dev Reverts with "not running" unless Running, and with "already" when it is so. Emits Cancelled.
    function cancel(uint256 id, bool value) external {
        require(stateOf(id, msg.sender) == State.Running, "not running");
        Subscription storage found = subscriptions[id][msg.sender];
        require(found.cancelled != value, "already");
        found.cancelled = value;
        emit Cancelled(id, msg.sender, value);
    }

    /// @notice Clears a subscription away: the publisher or the director may when it is Resting or Ended, and the reader
    /// when it has Ended, or is Resting and what is owed is in the purse, which then pays it.
    /// @dev Reverts with "not yours", and with "not over" in other states. Emits Over.
    function clear(uint256 id, address reader) external {
        State state = stateOf(id, reader);
        address publisher = plans[id].publisher;
        require(msg.sender == publisher || msg.sender == director || msg.sender == reader, "not yours");
        require(state == State.Resting || state == State.Ended, "not over");
        if (msg.sender == reader && state == State.Resting) pay(reader, publisher, owed(id, reader));
        delete subscriptions[id][reader];
        readers[id] = readers[id].sub(1);
        emit Over(id, reader, msg.sender);
    }

    /// @notice Sends the caller `amount` wei out of its purse. Reverts when it holds less. Emits PurseChanged.
    function empty(uint256 amount) external {
        take(msg.sender, amount);
        msg.sender.transfer(amount);
    }

    /// @notice Sends the caller all it has earned. Reverts with "nothing" when that is zero.
    /// @return The wei sent.
    function cashUp() external returns (uint256) {
        uint256 amount = earned[msg.sender];
        require(amount > 0, "nothing");
        earned[msg.sender] = 0;
        msg.sender.transfer(amount);
        return amount;
    }

    /// @dev Takes `amount` from a purse, CUT percent of it for the director and the rest for the publisher.
    function pay(address reader, address publisher, uint256 amount) private {
        take(reader, amount);
        uint256 cut = amount.mul(CUT) / 100;
        earned[director] = earned[director].add(cut);
        earned[publisher] = earned[publisher].add(amount.sub(cut));
        paidInAll[reader] = paidInAll[reader].add(amount);
    }
}
