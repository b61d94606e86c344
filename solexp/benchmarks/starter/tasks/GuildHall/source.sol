// SPDX-License-Identifier: MIT
pragma solidity ^0.8.18;

/// @title The register of a guild
/// @notice Accounts apply with a fee, are admitted by a member, and pay dues for seasons to come.
abstract contract Register {
    /// @notice What is known of a member.
    struct Member {
        uint64 since;
        uint64 paidUntil;
        bool admitted;
    }

    /// @notice Length of a season in seconds.
    uint256 public constant SEASON = 30 days;
    /// @notice Wei for one season.
    uint256 public immutable dues;
    /// @notice The members and applicants.
    mapping(address => Member) public members;
    /// @notice Number of admitted accounts, whether they have paid or not.
    uint256 public memberCount;

    event Applied(address indexed account);
    event Admitted(address indexed account, address indexed by);
    event Paid(address indexed account, uint64 until);

    error Unauthorised(address account);
    error WrongPayment(uint256 sent);
    error NotNow();

    constructor(uint256 dues_) {
        dues = dues_;
        members[msg.sender] = Member(uint64(block.timestamp), type(uint64).max, true);
        memberCount = 1;
    }

    modifier onlyActive() {
        if (!isActive(msg.sender)) revert Unauthorised(msg.sender);
        _;
    }

    /// @notice Returns whether `account` is admitted and has paid.
    function isActive(address account) public view returns (bool) {
        Member memory found = members[account];
        return found.admitted && found.paidUntil >= block.timestamp;
    }

    /// @notice Applies for membership and pays for the first season, which runs from now.
    function apply_() external payable {
        if (members[msg.sender].since != 0) revert NotNow();
        if (msg.value != dues) revert WrongPayment(msg.value);
        members[msg.sender] = Member(
            uint64(block.timestamp),
            uint64(block.timestamp + SEASON),
            false
        );
        emit Applied(msg.sender);
    }

    /// @notice Admits an applicant.
    function admit(address account) external onlyActive {
        Member storage found = members[account];
        if (found.since == 0 || found.admitted) revert NotNow();
        found.admitted = true;
        memberCount += 1;
        emit Admitted(account, msg.sender);
    }

    /// @notice Pays dues of the caller for as many seasons as the ether is worth.
    function payDues() external payable {
        Member storage found = members[msg.sender];
        if (!found.admitted) revert Unauthorised(msg.sender);
        if (msg.value == 0 || msg.value % dues != 0) revert WrongPayment(msg.value);
        uint256 from = found.paidUntil > block.timestamp ? found.paidUntil : block.timestamp;
        found.paidUntil = uint64(from + (msg.value / dues) * SEASON);
        emit Paid(msg.sender, found.paidUntil);
    }
}

/// @title Counting of ballots
library Tally {
    struct Count {
        uint32 yes;
        uint32 no;
        uint32 blank;
    }

    /// @notice Adds `weight` ballots of one kind: 0 no, 1 yes, 2 blank.
    function add(Count storage self, uint8 kind, uint32 weight) internal {
        if (kind == 1) self.yes += weight;
        else if (kind == 0) self.no += weight;
        else self.blank += weight;
    }

    /// @notice Returns the number of ballots of all kinds.
    function total(Count storage self) internal view returns (uint256) {
        return uint256(self.yes) + self.no + self.blank;
    }
}

/// @title Guild hall: members propose, delegate and vote on spending the guild's ether
/// @notice A member proposes a payment. Members vote for some days, each with one ballot and those of the members who
/// delegated to it. A proposal passes with enough ballots and more yes than no; after a pause it can be carried out,
/// unless a quarter of the members has objected.
contract GuildHall is Register {
    using Tally for Tally.Count;

    /// @notice The states of a proposal.
    enum State {
        None,
        Voting,
        Defeated,
        Waiting,
        Ready,
        Vetoed,
        Executed,
        Withdrawn
    }

    /// @notice A payment that is asked for.
    struct Proposal {
        address proposer;
        uint64 votingEnds;
        bool executed;
        bool withdrawn;
        address payable to;
        uint96 amount;
        uint32 objections;
        bytes32 reason;
    }

    /// @notice Seconds for which members vote.
    uint256 public constant VOTING_TIME = 5 days;
    /// @notice Seconds between the end of voting and execution.
    uint256 public constant PAUSE = 2 days;
    /// @notice Share of the members, in percent, whose ballots are needed; rounded up.
    uint256 public constant QUORUM = 40;
    /// @notice Number of proposals; they are numbered from 1.
    uint256 public proposalCount;
    /// @notice The proposals.
    mapping(uint256 => Proposal) public proposals;
    /// @notice The ballots of each proposal.
    mapping(uint256 => Tally.Count) public tallies;
    /// @notice Whether an account (second key) has voted on a proposal (first key), itself or by its delegate.
    mapping(uint256 => mapping(address => bool)) public hasVoted;
    /// @notice Whether an account (second key) objects to a proposal (first key).
    mapping(uint256 => mapping(address => bool)) public objects;
    /// @notice To whom an account delegates its ballot; zero for nobody.
    mapping(address => address) public delegateOf;
    /// @dev The accounts that delegate to an account.
    mapping(address => address[]) private delegators;
    /// @dev The proposal that each member made last; read by no function.
    mapping(address => uint256) private lastProposal;

    /// @notice A proposal was made.
    event Proposed(uint256 indexed id, address indexed proposer, address to, uint256 amount, bytes32 reason);
    /// @notice `voter` cast `weight` ballots of `kind`.
    event Voted(uint256 indexed id, address indexed voter, uint8 kind, uint32 weight);
    /// @notice `account` delegates to `to`; zero ends it.
    event Delegated(address indexed account, address indexed to);
    /// @notice `account` objects to a proposal.
    event Objected(uint256 indexed id, address indexed account);
    /// @notice A proposal was carried out.
    event Executed(uint256 indexed id);
    /// @notice A proposal was taken back.
    event Withdrawn(uint256 indexed id);

    /// @notice The proposal is in a state in which this cannot be done.
    error WrongState(State state);
    /// @notice The caller has done this before.
    error Again();
    /// @notice The argument makes no sense.
    error BadArgument();
    /// @notice The receiver did not take the ether.
    error NotTaken();

    /// @notice Makes the deployer the first member, whose dues are paid for ever.
    /// @param dues_ Wei for one season.
    constructor(uint256 dues_) Register(dues_) {}

    /// @notice Adds ether to the guild's funds.
    receive() external payable {}

    /// @notice Returns the number of ballots that a proposal needs now: QUORUM percent of the members, rounded up.
    function quorum() public view returns (uint256) {
        return (memberCount * QUORUM + 99) / 100;
    }

    /// @notice Returns the state of a proposal.
    /// @dev None when there is no such proposal; Withdrawn and Executed whatever else; Voting until votingEnds (that
    /// second included); then Defeated without a quorum or with no more yes than no; Vetoed when the objections are a
    /// quarter of the members or more; Waiting until PAUSE has passed (the last second included); then Ready.
    function stateOf(uint256 id) public view returns (State) {
        Proposal storage asked = proposals[id];
        if (asked.proposer == address(0)) return State.None;
        if (asked.withdrawn) return State.Withdrawn;
        if (asked.executed) return State.Executed;
        if (block.timestamp <= asked.votingEnds) return State.Voting;
        Tally.Count storage tally = tallies[id];
        if (tally.total() < quorum() || tally.yes <= tally.no) return State.Defeated;
        if (asked.objections * 4 >= memberCount) return State.Vetoed;
        return block.timestamp <= asked.votingEnds + PAUSE ? State.Waiting : State.Ready;
    }

    /// @notice Returns the accounts that delegate to `account`, in no particular order.
    function delegatorsOf(address account) external view returns (address[] memory) {
        return delegators[account];
    }

    /// @notice Asks for `amount` wei to be paid to `to`.
    /// @dev Only active members (Unauthorised). Reverts with BadArgument for the zero address as receiver or an amount of
    /// zero. Emits Proposed.
    /// @return id The proposal's number.
    function propose(address payable to, uint96 amount, bytes32 reason) external onlyActive returns (uint256 id) {
        if (to == address(0) || amount == 0) revert BadArgument();
        id = ++proposalCount;
        Proposal storage asked = proposals[id];
        asked.proposer = msg.sender;
        asked.votingEnds = uint64(block.timestamp + VOTING_TIME);
        asked.to = to;
        asked.amount = amount;
        asked.reason = reason;
        lastProposal[msg.sender] = id;
        emit Proposed(id, msg.sender, to, amount, reason);
    }

    /// @notice Votes on a proposal: 0 no, 1 yes, 2 blank.
    /// @dev Only active members (Unauthorised) that delegate to nobody (BadArgument). Reverts with WrongState unless
    /// Voting, with BadArgument for another kind, and with Again. Counts one ballot for the caller and one for each of
    /// its delegators who is active and has not voted. Emits Voted.
    /// @return weight The number of ballots.
    function vote(uint256 id, uint8 kind) external onlyActive returns (uint32 weight) {
        if (stateOf(id) != State.Voting) revert WrongState(stateOf(id));
        if (kind > 2 || delegateOf[msg.sender] != address(0)) revert BadArgument();
        if (hasVoted[id][msg.sender]) revert Again();
        hasVoted[id][msg.sender] = true;
        weight = 1;
        address[] storage others = delegators[msg.sender];
        for (uint256 i = 0; i < others.length; i++) {
            address other = others[i];
            if (isActive(other) && !hasVoted[id][other]) {
                hasVoted[id][other] = true;
                weight += 1;
            }
        }
        tallies[id].add(kind, weight);
        emit Voted(id, msg.sender, kind, weight);
    }

    /// @notice Delegates the caller's ballot to `to` in place of an earlier delegate; zero ends it.
    /// @dev Only active members (Unauthorised). The delegate must be another active member that delegates to nobody, and
    /// nobody may delegate to the caller (BadArgument); Again when it is the delegate already. Ballots that were cast stay
    /// cast. Emits Delegated.
    function delegate(address to) external onlyActive {
        address before = delegateOf[msg.sender];
        if (to == before) revert Again();
        if (to != address(0)) {
            if (to == msg.sender || !isActive(to) || delegateOf[to] != address(0)) revert BadArgument();
            if (delegators[msg.sender].length > 0) revert BadArgument();
        }
        if (before != address(0)) drop(delegators[before], msg.sender);
        delegateOf[msg.sender] = to;
        if (to != address(0)) delegators[to].push(msg.sender);
        emit Delegated(msg.sender, to);
    }

    /// @notice Objects to a proposal that waits or could be carried out.
    /// @dev Only active members (Unauthorised). Reverts with WrongState unless Waiting or Ready, and with Again. Emits
    /// Objected.
    function object(uint256 id) external onlyActive {
        State state = stateOf(id);
        if (state != State.Waiting && state != State.Ready) revert WrongState(state);
        if (objects[id][msg.sender]) revert Again();
        objects[id][msg.sender] = true;
        proposals[id].objections += 1;
        emit Objected(id, msg.sender);
    }

    /// @notice Carries a proposal out. Anybody may call it.
    /// @dev Reverts with WrongState unless Ready, and with NotTaken when the payment fails. Emits Executed.
    function execute(uint256 id) external {
        State state = stateOf(id);
        if (state != State.Ready) revert WrongState(state);
        Proposal storage asked = proposals[id];
        asked.executed = true;
        emit Executed(id);
        (bool taken, ) = asked.to.call{value: asked.amount}("");
        if (!taken) revert NotTaken();
    }

    /// @notice Takes a proposal back.
    /// @dev Only its proposer (Unauthorised), while Voting or Waiting (WrongState). Emits Withdrawn.
    function withdraw(uint256 id) external {
        if (proposals[id].proposer != msg.sender) revert Unauthorised(msg.sender);
        State state = stateOf(id);
        if (state != State.Voting && state != State.Waiting) revert WrongState(state);
        proposals[id].withdrawn = true;
        emit Withdrawn(id);
    }

    /// @dev Takes `account` out of a list; the last one takes its place.
    function drop(address[] storage list, address account) private {
        uint256 last = list.length - 1;
        for (uint256 i = 0; i <= last; i++) {
            if (list[i] == account) {
                list[i] = list[last];
                list.pop();
                return;
            }
        }
    }
}
