// SPDX-License-Identifier: MIT
pragma solidity ^0.7.4;

/// @title Sums that do not wrap
library Checked {
    function add(uint256 a, uint256 b) internal pure returns (uint256 c) {
        c = a + b;
        require(c >= a, "overflow");
    }

    function sub(uint256 a, uint256 b) internal pure returns (uint256) {
        require(b <= a, "underflow");
        return a - b;
    }
}

/// @title Shares whose distribution at past blocks is remembered
abstract contract ShareRegister {
    using Checked for uint256;

    /// @dev What an account held from a block on.
    struct Entry {
        uint64 fromBlock;
        uint192 amount;
    }

    /// @notice Shares in existence; their number never changes.
    uint256 public immutable totalShares;
    /// @dev The history of each account, the oldest entry first.
    mapping(address => Entry[]) private history;

    event SharesGiven(address indexed from, address indexed to, uint256 amount);

    constructor(uint256 total) {
        totalShares = total;
        write(msg.sender, total);
        emit SharesGiven(address(0), msg.sender, total);
    }

    /// @notice Gives `amount` shares of the caller to `to`.
    function giveShares(address to, uint256 amount) external {
        require(to != address(0) && amount > 0, "nothing");
        write(msg.sender, sharesOf(msg.sender).sub(amount));
        write(to, sharesOf(to).add(amount));
        emit SharesGiven(msg.sender, to, amount);
    }

    /// @notice Returns the shares of `account` now.
    function sharesOf(address account) public view returns (uint256) {
        Entry[] storage entries = history[account];
        return entries.length == 0 ? 0 : entries[entries.length - 1].amount;
    }

    /// @notice Returns the shares that `account` had at the end of a past block.
    function sharesAt(address account, uint256 number) public view returns (uint256) {
        require(number < block.number, "not past");
        Entry[] storage entries = history[account];
        for (uint256 i = entries.length; i > 0; i--) {
            if (entries[i - 1].fromBlock <= number) return entries[i - 1].amount;
        }
        return 0;
    }

    function write(address account, uint256 amount) private {
        Entry[] storage entries = history[account];
        if (entries.length > 0 && entries[entries.length - 1].fromBlock == block.number) {
            entries[entries.length - 1].amount = uint192(amount);
        } else {
            entries.push(Entry(uint64(block.number), uint192(amount)));
        }
    }
}

/// @title River council: holders of shares decide on calls that the council makes
/// @notice A holder proposes a call. Some blocks later holders vote with the shares they had when voting began. What
/// passes is queued, and made after a delay and before it is stale. Until then the guardian can veto it.
/// @dev Votes are timed by blocks, the delay by seconds.
contract RiverCouncil is ShareRegister {
    using Checked for uint256;

    /// @notice The states of a proposal.
    enum State {
        Pending,
        Active,
        Defeated,
        Passed,
        Queued,
        Stale,
        Executed,
        Vetoed,
        Cancelled
    }

    /// @notice A call that is proposed, its times and its votes.
    struct Proposal {
        address proposer;
        uint64 startBlock;
        uint64 endBlock;
        uint64 ready;
        bool executed;
        bool vetoed;
        bool cancelled;
        address target;
        uint256 value;
        bytes data;
        uint256 yes;
        uint256 no;
        uint256 abstained;
    }

    /// @notice Blocks between a proposal and its first vote.
    uint256 public constant WAIT = 20;
    /// @notice Blocks for which votes are taken.
    uint256 public constant PERIOD = 300;
    /// @notice Seconds between queueing and execution, at least.
    uint256 public constant DELAY = 2 days;
    /// @notice Seconds after the delay in which a proposal can be executed.
    uint256 public constant GRACE = 5 days;
    /// @notice A proposer needs this many thousandths of all shares, a proposal QUORUM thousandths in favour.
    uint256 public constant THRESHOLD = 10;
    uint256 public constant QUORUM = 200;
    /// @notice Who can veto; zero when nobody can.
    address public guardian;
    /// @notice Who becomes guardian by taking over; zero for nobody.
    address public heir;
    /// @notice Number of proposals; they are numbered from 1.
    uint256 public proposalCount;
    /// @notice The proposals.
    mapping(uint256 => Proposal) public proposals;
    /// @notice What an account (second key) voted: 0 nothing, else its support plus one.
    mapping(uint256 => mapping(address => uint8)) public ballots;
    /// @notice The proposal that each account made last.
    mapping(address => uint256) public latestOf;
    /// @dev Number of calls made; read by no function.
    uint256 private callsMade;

    /// @notice A proposal was made.
    event Proposed(uint256 indexed id, address indexed proposer, address target, uint256 value, bytes data, string reason);
    /// @notice `voter` voted with `weight` shares.
    event Voted(uint256 indexed id, address indexed voter, uint8 support, uint256 weight, string reason);
    /// @notice A proposal can be executed from `ready` on.
    event Queued(uint256 indexed id, uint256 ready);
    /// @notice The call of a proposal was made and returned `output`.
    event Executed(uint256 indexed id, bytes output);
    /// @notice A proposal was vetoed, or cancelled.
    event Stopped(uint256 indexed id, address indexed by, bool vetoed);
    /// @notice The guardian changed.
    event GuardianChanged(address indexed from, address indexed to);

    /// @notice Gives the deployer all shares and makes it guardian.
    constructor(uint256 total) ShareRegister(total) {
        guardian = msg.sender;
    }

    /// @notice Adds ether to the council's funds.
    receive() external payable {}

    /// @notice Returns the state of a proposal.
    /// @dev Reverts with "no such proposal". Vetoed, Cancelled and Executed whatever else; Pending up to startBlock and
    /// Active up to endBlock (both included); then Defeated unless there are more shares for than against and QUORUM
    /// thousandths of all for; Passed until queued; Stale when GRACE after `ready` has passed (its last second not).
    function stateOf(uint256 id) public view returns (State) {
        Proposal storage asked = proposals[id];
        require(asked.proposer != address(0), "no such proposal");
        if (asked.vetoed) return State.Vetoed;
        if (asked.cancelled) return State.Cancelled;
        if (asked.executed) return State.Executed;
        if (block.number <= asked.startBlock) return State.Pending;
        if (block.number <= asked.endBlock) return State.Active;
        if (asked.yes <= asked.no || asked.yes * 1000 < totalShares * QUORUM) return State.Defeated;
        if (asked.ready == 0) return State.Passed;
        return block.timestamp > asked.ready + GRACE ? State.Stale : State.Queued;
    }

    /// @notice Proposes that the council calls `target` with `value` wei and `data`.
    /// @dev The caller must have had THRESHOLD thousandths of all shares at the end of the block before ("too few
    /// shares") and no other proposal that is Pending or Active ("one at a time"). Reverts with "no target" for the zero
    /// address. Emits Proposed.
    /// @return id The proposal's number.
    function propose(
        address target,
        uint256 value,
        bytes calldata data,
        string calldata reason
    ) external returns (uint256 id) {
        require(mayPropose(msg.sender), "too few shares");
        require(target != address(0), "no target");
        if (latestOf[msg.sender] != 0) {
            State before = stateOf(latestOf[msg.sender]);
            require(before != State.Pending && before != State.Active, "one at a time");
        }
        id = ++proposalCount;
        Proposal storage asked = proposals[id];
        asked.proposer = msg.sender;
        asked.startBlock = uint64(block.number + WAIT);
        asked.endBlock = uint64(block.number + WAIT + PERIOD);
        asked.target = target;
        asked.value = value;
        asked.data = data;
        latestOf[msg.sender] = id;
        emit Proposed(id, msg.sender, target, value, data, reason);
    }

    /// @notice Votes with the shares the caller had at the end of startBlock: 0 against, 1 for, 2 neither.
    /// @dev Reverts with "not active", with "no such choice", with "again", and with "no shares". Emits Voted.
    /// @return weight The shares that count.
    function vote(uint256 id, uint8 support, string calldata reason) external returns (uint256 weight) {
        require(stateOf(id) == State.Active, "not active");
        require(support <= 2, "no such choice");
        require(ballots[id][msg.sender] == 0, "again");
        Proposal storage asked = proposals[id];
        weight = sharesAt(msg.sender, asked.startBlock);
        require(weight > 0, "no shares");
        ballots[id][msg.sender] = support + 1;
        if (support == 0) asked.no = asked.no.add(weight);
        else if (support == 1) asked.yes = asked.yes.add(weight);
        else asked.abstained = asked.abstained.add(weight);
        emit Voted(id, msg.sender, support, weight, reason);
    }

    /// @notice Queues a proposal that has passed, for execution after DELAY. Anybody may call it.
    /// @dev Reverts with "not passed". Emits Queued.
    function queue(uint256 id) external {
        require(stateOf(id) == State.Passed, "not passed");
        uint256 ready = block.timestamp.add(DELAY);
        proposals[id].ready = uint64(ready);
        emit Queued(id, ready);
    }

    /// @notice Makes the call of a queued proposal. Anybody may call it; ether sent along stays with the council.
    /// @dev Reverts with "not queued", with "too early" before `ready`, and with "call failed". Emits Executed after the
    /// call.
    /// @return output What the call returned.
    function execute(uint256 id) external payable returns (bytes memory output) {
        require(stateOf(id) == State.Queued, "not queued");
        Proposal storage asked = proposals[id];
        require(block.timestamp >= asked.ready, "too early");
        asked.executed = true;
        callsMade = callsMade.add(1);
        bool done;
        (done, output) = asked.target.call{value: asked.value}(asked.data);
        require(done, "call failed");
        emit Executed(id, output);
    }

    /// @notice Vetoes a proposal that is neither executed nor stopped nor Defeated nor Stale.
    /// @dev Only the guardian ("guardian only"). Reverts with "too late". Emits Stopped.
    function veto(uint256 id) external {
        require(msg.sender == guardian, "guardian only");
        State state = stateOf(id);
        require(state <= State.Queued && state != State.Defeated, "too late");
        proposals[id].vetoed = true;
        emit Stopped(id, msg.sender, true);
    }

    /// @notice Cancels a proposal before it is executed: its proposer may, and anybody once the proposer had, at the end
    /// of the block before, too few shares to propose.
    /// @dev Reverts with "not yours" and with "too late" when it is Executed, Vetoed or Cancelled. Emits Stopped.
    function cancel(uint256 id) external {
        require(stateOf(id) < State.Executed, "too late");
        address proposer = proposals[id].proposer;
        require(msg.sender == proposer || !mayPropose(proposer), "not yours");
        proposals[id].cancelled = true;
        emit Stopped(id, msg.sender, false);
    }

    /// @notice Names who can take over as guardian; zero takes that back. Only the guardian ("guardian only").
    function nameHeir(address account) external {
        require(msg.sender == guardian, "guardian only");
        heir = account;
    }

    /// @notice Makes the caller guardian. Only the heir ("heir only"); there is none afterwards. Emits GuardianChanged.
    function takeOver() external {
        require(msg.sender == heir, "heir only");
        emit GuardianChanged(guardian, heir);
        guardian = heir;
        heir = address(0);
    }

    /// @notice Ends the office for good, so that there is no heir either. Only the guardian ("guardian only"). Emits
    /// GuardianChanged.
    function layDown() external {
        require(msg.sender == guardian, "guardian only");
        emit GuardianChanged(guardian, address(0));
        guardian = address(0);
        heir = address(0);
    }

    /// @notice Returns whether `account` had, at the end of the block before, enough shares to propose.
    function mayPropose(address account) public view returns (bool) {
        return sharesAt(account, block.number - 1) * 1000 >= totalShares * THRESHOLD;
    }
}
