pragma solidity ^0.4.24;

/// @title Which names are allowed
library Names {
    /// @notice Returns whether `name` consists of lower-case letters and digits, at least `shortest`, with zeros behind them.
    function allowed(bytes32 name, uint256 shortest) internal pure returns (bool) {
        uint256 length = 0;
        while (length < 32 && name[length] != 0) {
            byte letter = name[length];
            if (!(letter >= "a" && letter <= "z") && !(letter >= "0" && letter <= "9")) {
                return false;
            }
            length++;
        }
        for (uint256 i = length; i < 32; i++) {
            if (name[i] != 0) {
                return false;
            }
        }
        return length >= shortest;
    }
}

/// @title A contract of a harbour master, who receives what it earns
contract Harbour {
    /// @notice Who sets the rent and collects it.
    address public master;
    /// @notice Wei of rent that wait to be collected.
    uint256 public earnings;

    event Collected(address indexed to, uint256 amount);

    constructor() public {
        master = msg.sender;
    }

    modifier onlyMaster() {
        require(msg.sender == master, "master only");
        _;
    }

    /// @notice Sends the rent that has come in to `to`; refused when there is none.
    function collect(address to) external onlyMaster {
        require(earnings > 0 && to != address(0), "nothing to do");
        uint256 amount = earnings;
        earnings = 0;
        emit Collected(to, amount);
        to.transfer(amount);
    }
}

/// @title Berth registry: names that are held for rent
/// @notice Whoever pays rent for some terms holds a free name and points it to an address. A name that is not renewed in
/// time expires: then it points nowhere, and for a time of grace only its holder can have it back. After that it is free.
/// Names change hands in two steps.
contract BerthRegistry is Harbour {
    /// @notice What is known of a name.
    struct Berth {
        address holder;
        address heir;
        address target;
        uint256 expires;
    }

    /// @notice Seconds of a term.
    uint256 public constant TERM = 30 days;
    /// @notice Seconds after its expiry in which only its holder can have a name back.
    uint256 public constant GRACE = 7 days;
    /// @notice Most terms that can be paid in advance, the present one included.
    uint256 public constant MOST_TERMS = 24;
    /// @notice Fewest letters of a name.
    uint256 public constant SHORTEST = 3;
    /// @notice Wei for one term.
    uint256 public rent;
    /// @notice How often a free name was taken.
    uint256 public given;
    /// @notice The names, also those that have expired or are free again.
    mapping(bytes32 => Berth) public berths;
    /// @notice How many names each account was given and has not handed on or given up, expired ones included.
    mapping(address => uint256) public holdings;

    /// @notice `holder` holds `name` from now on.
    event Berthed(bytes32 indexed name, address indexed holder, uint256 expires);
    /// @notice The rent of a name is paid until `expires`.
    event Renewed(bytes32 indexed name, address indexed by, uint256 expires);
    /// @notice A name points to `target`.
    event Pointed(bytes32 indexed name, address indexed target);
    /// @notice A name was offered to `heir`, or the offer was taken back when that is zero.
    event Offered(bytes32 indexed name, address indexed heir);
    /// @notice A name changed hands.
    event HandedOn(bytes32 indexed name, address indexed from, address indexed to);
    /// @notice A name was given up.
    event GivenUp(bytes32 indexed name, address indexed holder);
    /// @notice The rent changed.
    event RentChanged(uint256 before, uint256 rent);

    modifier onlyHolder(bytes32 name) {
        require(msg.sender == holderOf(name), "holder only");
        _;
    }

    /// @notice Sets the rent. Reverts with "no rent" when it is zero.
    /// @param rent_ Wei for one term.
    constructor(uint256 rent_) public {
        require(rent_ > 0, "no rent");
        rent = rent_;
    }

    /// @notice Returns who holds `name`; zero when it has expired or nobody has it. In its last second it is still held.
    function holderOf(bytes32 name) public view returns (address) {
        return now <= berths[name].expires ? berths[name].holder : address(0);
    }

    /// @notice Returns where `name` points; zero when it has expired or points nowhere.
    function resolve(bytes32 name) external view returns (address) {
        return now <= berths[name].expires ? berths[name].target : address(0);
    }

    /// @notice Returns whether anybody could hold `name`: it is allowed, and nobody has it or its time of grace is over.
    function isFree(bytes32 name) public view returns (bool) {
        return Names.allowed(name, SHORTEST) && now > graceEnds(name);
    }

    /// @notice Returns the last second in which only its holder can have `name`; zero when nobody has it.
    function graceEnds(bytes32 name) public view returns (uint256) {
        return berths[name].holder == address(0) ? 0 : berths[name].expires + GRACE;
    }

    /// @notice Takes a free name for some terms.
    /// @dev Reverts with "not free", with "bad terms" for zero or more than MOST_TERMS, and with "wrong rent" unless exactly
    /// the rent is sent. The name points nowhere at first and is offered to nobody. Emits Berthed.
    /// @return When it expires.
    function take(bytes32 name, uint256 terms) external payable returns (uint256) {
        require(isFree(name), "not free");
        charge(terms);
        Berth storage berth = berths[name];
        if (berth.holder != address(0)) {
            holdings[berth.holder] -= 1;
        }
        berths[name] = Berth(msg.sender, address(0), address(0), now + terms * TERM);
        holdings[msg.sender] += 1;
        given += 1;
        emit Berthed(name, msg.sender, now + terms * TERM);
        return now + terms * TERM;
    }

    /// @notice Pays for more terms of a name, which begin when the present one ends.
    /// @dev Anybody may pay for a name that is held; one that has expired only its holder ("holder only"), and not after the
    /// time of grace ("too late"), which also holds for names that nobody has. Reverts with "bad terms" for zero or when the
    /// name would be paid for more than MOST_TERMS terms from now, and with "wrong rent". Emits Renewed.
    /// @return When it expires.
    function renew(bytes32 name, uint256 terms) external payable returns (uint256) {
        Berth storage berth = berths[name];
        require(now <= graceEnds(name), "too late");
        require(now <= berth.expires || msg.sender == berth.holder, "holder only");
        charge(terms);
        berth.expires += terms * TERM;
        require(berth.expires <= now + MOST_TERMS * TERM, "bad terms");
        emit Renewed(name, msg.sender, berth.expires);
        return berth.expires;
    }

    /// @notice Points a name to `target`; zero makes it point nowhere.
    /// @dev Only its holder ("holder only"). Emits Pointed, also when nothing changes.
    function point(bytes32 name, address target) external onlyHolder(name) {
        berths[name].target = target;
        emit Pointed(name, target);
    }

    /// @notice Offers a name to `heir`, in place of an earlier offer; zero takes an offer back.
    /// @dev Only its holder ("holder only"). Reverts with "oneself" for the holder. Emits Offered.
    function offer(bytes32 name, address heir) external onlyHolder(name) {
        require(heir != msg.sender, "oneself");
        berths[name].heir = heir;
        emit Offered(name, heir);
    }

    /// @notice Takes a name that was offered to the caller. It points nowhere then.
    /// @dev Reverts with "not offered", and with "expired". Emits HandedOn.
    function accept(bytes32 name) external {
        Berth storage berth = berths[name];
        require(berth.heir == msg.sender, "not offered");
        require(now <= berth.expires, "expired");
        emit HandedOn(name, berth.holder, msg.sender);
        holdings[berth.holder] -= 1;
        holdings[msg.sender] += 1;
        berth.holder = msg.sender;
        berth.heir = address(0);
        berth.target = address(0);
    }

    /// @notice Gives a name up, which is free at once. No rent comes back.
    /// @dev Only its holder ("holder only"). Emits GivenUp.
    function giveUp(bytes32 name) external onlyHolder(name) {
        delete berths[name];
        holdings[msg.sender] -= 1;
        emit GivenUp(name, msg.sender);
    }

    /// @notice Changes the rent of all terms that are paid from now on.
    /// @dev Only the master ("master only"). Reverts with "no rent" for zero. Emits RentChanged.
    function setRent(uint256 rent_) external onlyMaster {
        require(rent_ > 0, "no rent");
        emit RentChanged(rent, rent_);
        rent = rent_;
    }

    /// @dev Books the ether that was sent as rent of some terms. Reverts with "bad terms" and "wrong rent".
    function charge(uint256 terms) private {
        require(terms > 0 && terms <= MOST_TERMS, "bad terms");
        require(msg.value / terms == rent && msg.value % terms == 0, "wrong rent");
        earnings += msg.value;
    }
}
