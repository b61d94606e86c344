pragma solidity ^0.4.24;

/// @title Arithmetic that does not wrap
library Counted {
    function add(uint256 a, uint256 b) internal pure returns (uint256 c) {
        c = a + b;
        require(c >= a, "overflow");
    }

    function sub(uint256 a, uint256 b) internal pure returns (uint256) {
        require(b <= a, "underflow");
        return a - b;
    }
}

/// @title Proofs that a list, of which only the root of a tree of hashes is known, has an element
library Tree {
    /// @notice Returns whether `leaf` and the hashes beside its way up, the lowest first, lead to `root`. Of two hashes
    /// the smaller comes first.
    function has(bytes32 root, bytes32 leaf, bytes32[] path) internal pure returns (bool) {
        for (uint256 i = 0; i < path.length; i++) {
            leaf = leaf < path[i]
                ? keccak256(abi.encodePacked(leaf, path[i]))
                : keccak256(abi.encodePacked(path[i], leaf));
        }
        return leaf == root;
    }
}

/// @title Who runs a ferry, and how it is stopped
contract Crewed {
    /// @notice Who names the crew.
    address public harbourmaster;
    /// @notice Whether an account may bring news from the other shore.
    mapping(address => bool) public pilots;
    /// @notice Whether an account may stop the ferry.
    mapping(address => bool) public lookouts;
    /// @notice When the ferry was stopped; zero while it runs.
    uint256 public stoppedAt;

    event PilotSet(address indexed account, bool value);
    event LookoutSet(address indexed account, bool value);
    event Stopped(address indexed by);
    event Resumed();

    constructor() public {
        harbourmaster = msg.sender;
    }

    modifier onlyHarbourmaster() {
        require(msg.sender == harbourmaster, "harbourmaster only");
        _;
    }

    modifier onlyPilots() {
        require(pilots[msg.sender], "pilots only");
        _;
    }

    modifier whileRunning() {
        require(stoppedAt == 0, "stopped");
        _;
    }

    /// @notice Makes `account` a pilot, or ends that.
    function setPilot(address account, bool value) external onlyHarbourmaster {
        pilots[account] = value;
        emit PilotSet(account, value);
    }

    /// @notice Makes `account` a lookout, or ends that.
    function setLookout(address account, bool value) external onlyHarbourmaster {
        lookouts[account] = value;
        emit LookoutSet(account, value);
    }

    /// @notice Stops the ferry. Only lookouts.
    function stop() external whileRunning {
        require(lookouts[msg.sender], "lookouts only");
        stoppedAt = now;
        emit Stopped(msg.sender);
    }

    /// @notice Lets the ferry run again.
    function resume() external onlyHarbourmaster {
        require(stoppedAt != 0, "running");
        stoppedAt = 0;
        emit Resumed();
    }
}

/// @title Ferry bridge: takes ether for another chain, and pays out what comes from there
/// @notice Passengers leave ether here and get it on the other shore. For the way back pilots bring lists of payments, as
/// roots of trees of hashes, from which each payee claims; or single payments, in order. A day's payments are limited.
contract FerryBridge is Crewed {
    using Counted for uint256;

    /// @notice A list of payments: the root of its tree, their sum, what is unpaid of it, and when claims begin.
    struct Sailing {
        bytes32 root;
        uint256 total;
        uint256 unpaid;
        uint256 opens;
        address pilot;
        bool sunk;
    }

    /// @notice The fare in wei for every departure.
    uint256 public constant FARE = 1 finney;
    /// @notice Seconds between the news of a sailing and the first claim.
    uint256 public constant WATCH = 6 hours;
    /// @notice Seconds after which the harbourmaster can take everything from a stopped ferry.
    uint256 public constant SALVAGE = 20 days;
    /// @notice Wei that can be paid out on a day, UTC.
    uint256 public limit;
    /// @notice The limit from `changeDay` on, when that is not zero.
    uint256 public nextLimit;
    uint256 public changeDay;
    /// @notice Wei paid out on each day since 1970.
    mapping(uint256 => uint256) public paidOn;
    /// @notice Number of departures of each passenger.
    mapping(address => uint256) public departures;
    /// @notice Number of single payments made for the other shore; the next one must have this number.
    uint256 public nonce;
    /// @notice The sailings; they are numbered from 0.
    Sailing[] public sailings;
    /// @notice Wei that sailings promise and have not paid.
    uint256 public promised;
    /// @notice Fares that the harbourmaster has not taken.
    uint256 public fares;
    /// @notice Whether an account may leave and get ether while only invited ones may.
    mapping(address => bool) public invited;
    /// @notice Whether only invited accounts may.
    bool public byInvitation;
    /// @dev Which payments of a sailing (first key) are made: bit n % 256 of word n / 256 (second key).
    mapping(uint256 => mapping(uint256 => uint256)) private made;

    /// @notice The `number`-th departure of `from`: `amount` wei for `to` on the other shore.
    event Departed(address indexed from, uint256 number, bytes32 indexed to, uint256 amount);
    /// @notice A pilot brought news of a sailing.
    event Sighted(uint256 indexed sailing, address indexed pilot, bytes32 root, uint256 total, uint256 opens);
    /// @notice A sailing was found to be false.
    event Sunk(uint256 indexed sailing, address by);
    /// @notice `amount` wei were paid to `to` for payment `index` of a sailing.
    event Landed(uint256 indexed sailing, uint256 index, address indexed to, uint256 amount);
    /// @notice A single payment was made.
    event Brought(uint256 indexed nonce, address indexed to, uint256 amount, bytes note);
    /// @notice The limit will be `limit` from `day` on.
    event LimitSet(uint256 limit, uint256 day);
    /// @notice `account` was invited, or no longer is.
    event Invited(address indexed account, bool value);

    /// @notice Sets the limit of a day; the deployer is harbourmaster. Ether sent along is float for payments.
    constructor(uint256 limit_) public payable {
        limit = limit_;
    }

    /// @notice Leaves the sent ether, less FARE, for `to` on the other shore.
    /// @dev While running ("stopped"). Reverts with "not invited", with "nobody" for `to` of zero, and with "too little"
    /// unless more than FARE was sent. Emits Departed; numbers begin at 0.
    function depart(bytes32 to) external payable whileRunning {
        require(admitted(msg.sender), "not invited");
        require(to != bytes32(0), "nobody");
        require(msg.value > FARE, "too little");
        uint256 number = departures[msg.sender];
        departures[msg.sender] = number.add(1);
        fares = fares.add(FARE);
        emit Departed(msg.sender, number, to, msg.value - FARE);
    }

    /// @notice Brings news of a sailing whose payments are `total` wei in all; claims begin after WATCH.
    /// @dev Only pilots, while running. Reverts with "no root", and with "not covered" unless the ferry has that much apart
    /// from fares and what is promised. Emits Sighted.
    /// @return The sailing's number.
    function sight(bytes32 root, uint256 total) external onlyPilots whileRunning returns (uint256) {
        require(root != bytes32(0), "no root");
        require(total <= unbound(), "not covered");
        promised = promised.add(total);
        uint256 opens = now.add(WATCH);
        sailings.push(Sailing(root, total, total, opens, msg.sender, false));
        emit Sighted(sailings.length - 1, msg.sender, root, total, opens);
        return sailings.length - 1;
    }

    /// @notice Declares a sailing false, before claims begin, also while stopped.
    /// @dev Only lookouts, and the pilot who brought the news ("not yours"). Reverts when there is no such sailing, with
    /// "sunk", and with "too late" from `opens` on. What it promised is promised no more. Emits Sunk.
    function sink(uint256 sailing) external {
        Sailing storage found = sailings[sailing];
        require(lookouts[msg.sender] || msg.sender == found.pilot, "not yours");
        require(!found.sunk, "sunk");
        require(now < found.opens, "too late");
        found.sunk = true;
        promised = promised.sub(found.unpaid);
        found.unpaid = 0;
        emit Sunk(sailing, msg.sender);
    }

    /// @notice Pays `amount` wei to `to`: payment `index` of a sailing. Anybody may call it.
    /// @dev While running. The leaf is keccak256 of index, to and amount, packed as 32, 20 and 32 bytes. Reverts when there
    /// is no such sailing, with "sunk", with "too early" before `opens`, with "not invited" when `to` is not admitted, with
    /// "made" the second time, with "not in the list", when less is unpaid of the sailing, and as pay does. Emits Landed.
    function land(uint256 sailing, uint256 index, address to, uint256 amount, bytes32[] path) external whileRunning {
        Sailing storage found = sailings[sailing];
        require(!found.sunk, "sunk");
        require(now >= found.opens, "too early");
        require(admitted(to), "not invited");
        require(!isMade(sailing, index), "made");
        require(Tree.has(found.root, keccak256(abi.encodePacked(index, to, amount)), path), "not in the list");
        made[sailing][index / 256] |= uint256(1) << (index % 256);
        found.unpaid = found.unpaid.sub(amount);
        promised = promised.sub(amount);
        emit Landed(sailing, index, to, amount);
        pay(to, amount);
    }

    /// @notice Makes a single payment; pilots make them in the order of their numbers.
    /// @dev Only pilots, while running. Reverts with "wrong order", with "not invited", with "not covered" unless the ferry
    /// has that much apart from fares and what is promised, and as pay does. Emits Brought.
    function bring(uint256 number, address to, uint256 amount, bytes note) external onlyPilots whileRunning {
        require(number == nonce, "wrong order");
        require(admitted(to), "not invited");
        require(amount <= unbound(), "not covered");
        nonce = number.add(1);
        emit Brought(number, to, amount, note);
        pay(to, amount);
    }

    /// @notice Returns whether payment `index` of a sailing is made.
    function isMade(uint256 sailing, uint256 index) public view returns (bool) {
        return (made[sailing][index / 256] >> (index % 256)) & 1 == 1;
    }

    /// @notice Returns the number of sailings.
    function sailingCount() external view returns (uint256) {
        return sailings.length;
    }

    /// @notice Returns the wei of the ferry that are neither fares nor promised.
    function unbound() public view returns (uint256) {
        return address(this).balance.sub(fares).sub(promised);
    }

    /// @notice Returns the wei that can still be paid out today.
    function left() public view returns (uint256) {
        uint256 day = now / 1 days;
        uint256 most = changeDay != 0 && day >= changeDay ? nextLimit : limit;
        return paidOn[day] >= most ? 0 : most - paidOn[day];
    }

    /// @notice Returns whether `account` may leave and get ether: anybody, or those invited.
    function admitted(address account) public view returns (bool) {
        return !byInvitation || invited[account];
    }

    /// @notice Sets the limit: at once when it is lower than today's, else from tomorrow on. Only the harbourmaster.
    /// @dev A change that was to come is replaced. Emits LimitSet, with today or tomorrow.
    function setLimit(uint256 limit_) external onlyHarbourmaster {
        uint256 day = now / 1 days;
        if (changeDay != 0 && day >= changeDay) limit = nextLimit;
        if (limit_ < limit) {
            limit = limit_;
            changeDay = 0;
        } else {
            nextLimit = limit_;
            changeDay = ++day;
        }
        emit LimitSet(limit_, day);
    }

    /// @notice Invites the accounts, or takes it back. Only the harbourmaster. Emits Invited for each.
    function invite(address[] accounts, bool value) external onlyHarbourmaster {
        for (uint256 i = 0; i < accounts.length; i++) {
            invited[accounts[i]] = value;
            emit Invited(accounts[i], value);
        }
    }

    /// @notice Closes the ferry to those not invited, or opens it. Only the harbourmaster.
    function setByInvitation(bool value) external onlyHarbourmaster {
        byInvitation = value;
    }

    /// @notice Sends the fares to the harbourmaster. Only the harbourmaster. Reverts with "nothing" when there are none.
    /// @return The wei sent.
    function takeFares() external onlyHarbourmaster returns (uint256) {
        uint256 amount = fares;
        require(amount > 0, "nothing");
        fares = 0;
        msg.sender.transfer(amount);
        return amount;
    }

    /// @notice Sends all ether to `to`, from a ferry that has been stopped for SALVAGE or longer. Only the harbourmaster.
    /// @dev Reverts with "not stopped" and with "too early". Fares and promises are void.
    function salvage(address to) external onlyHarbourmaster {
        require(stoppedAt != 0, "not stopped");
        require(now >= stoppedAt.add(SALVAGE), "too early");
        fares = 0;
        promised = 0;
        to.transfer(address(this).balance);
    }

    /// @dev Pays `amount` wei within today's limit ("limit"). Reverts with "nothing" for zero, and when it is refused.
    function pay(address to, uint256 amount) private {
        require(amount > 0, "nothing");
        require(amount <= left(), "limit");
        uint256 day = now / 1 days;
        paidOn[day] = paidOn[day].add(amount);
        to.transfer(amount);
    }
}
