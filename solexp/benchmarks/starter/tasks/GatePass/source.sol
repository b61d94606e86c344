// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// @title Membership in a hashed list
library HashTree {
    /// @notice Returns whether `leaf` belongs to the tree with this root: each step hashes the lower of two nodes first.
    function proves(bytes32[] calldata path, bytes32 root, bytes32 leaf) internal pure returns (bool) {
        bytes32 node = leaf;
        for (uint256 i = 0; i < path.length; i++) {
            bytes32 other = path[i];
            node = node < other
                ? keccak256(abi.encodePacked(node, other))
                : keccak256(abi.encodePacked(other, node));
        }
        return node == root;
    }
}

/// @title Decimal digits
library Digits {
    /// @notice Returns `value` in decimal.
    function text(uint256 value) internal pure returns (string memory) {
        if (value == 0) return "0";
        uint256 length = 0;
        for (uint256 rest = value; rest > 0; rest /= 10) length++;
        bytes memory digits = new bytes(length);
        for (uint256 rest = value; rest > 0; rest /= 10) {
            digits[--length] = bytes1(uint8(48 + (rest % 10)));
        }
        return string(digits);
    }
}

/// @title The ownership part of an ERC721 token
abstract contract PassBase {
    /// @notice Number of passes of each owner.
    mapping(address => uint256) public balanceOf;
    /// @notice Who may hand a single pass on.
    mapping(uint256 => address) public getApproved;
    /// @notice Whether an owner (first key) lets an operator (second key) handle all passes.
    mapping(address => mapping(address => bool)) public isApprovedForAll;
    mapping(uint256 => address) internal _owners;

    event Transfer(address indexed from, address indexed to, uint256 indexed tokenId);
    event Approval(address indexed owner, address indexed approved, uint256 indexed tokenId);
    event ApprovalForAll(address indexed owner, address indexed operator, bool approved);

    /// @notice There is no such pass.
    error NoSuchPass(uint256 tokenId);
    /// @notice The caller may not do this.
    error NotAllowed(address caller);
    /// @notice The zero address owns nothing.
    error Nobody();

    /// @notice Returns the owner of a pass.
    function ownerOf(uint256 tokenId) public view returns (address owner) {
        owner = _owners[tokenId];
        if (owner == address(0)) revert NoSuchPass(tokenId);
    }

    /// @notice Lets `approved` hand a pass on.
    function approve(address approved, uint256 tokenId) external {
        address owner = ownerOf(tokenId);
        if (msg.sender != owner && !isApprovedForAll[owner][msg.sender]) revert NotAllowed(msg.sender);
        getApproved[tokenId] = approved;
        emit Approval(owner, approved, tokenId);
    }

    /// @notice Lets `operator` handle all passes of the caller, or ends that.
    function setApprovalForAll(address operator, bool approved) external {
        isApprovedForAll[msg.sender][operator] = approved;
        emit ApprovalForAll(msg.sender, operator, approved);
    }

    /// @notice Hands a pass on.
    function transferFrom(address from, address to, uint256 tokenId) public virtual {
        address owner = ownerOf(tokenId);
        if (owner != from) revert NotAllowed(from);
        if (to == address(0)) revert Nobody();
        if (!_may(owner, tokenId)) revert NotAllowed(msg.sender);
        _write(from, to, tokenId);
    }

    /// @dev Returns whether the caller may dispose of a pass.
    function _may(address owner, uint256 tokenId) internal view returns (bool) {
        return
            msg.sender == owner ||
            isApprovedForAll[owner][msg.sender] ||
            getApproved[tokenId] == msg.sender;
    }

    /// @dev Writes a change of owner; the zero address stands for making and unmaking. The single approval ends.
    function _write(address from, address to, uint256 tokenId) internal {
        if (from != address(0)) {
            balanceOf[from] -= 1;
            delete getApproved[tokenId];
        }
        if (to != address(0)) balanceOf[to] += 1;
        _owners[tokenId] = to;
        emit Transfer(from, to, tokenId);
    }
}

/// @title Gate pass: an ERC721 token sold first to those on a list, then to all
/// @notice The doorkeeper opens one phase after the other: Closed, Listed, Open, Ended. In the listed phase an account
/// buys as many passes as the list gives it, at the lower price; in the open phase everybody buys up to a few at a time.
/// Passes can be locked by their owners.
contract GatePass is PassBase {
    using Digits for uint256;

    /// @notice The phases, in their order.
    enum Phase {
        Closed,
        Listed,
        Open,
        Ended
    }

    /// @notice Most passes that can exist, the reserved ones included.
    uint256 public constant LARGEST_SUPPLY = 120;
    /// @notice Most passes in one purchase of the open phase.
    uint256 public constant PER_PURCHASE = 4;
    /// @notice Most passes that the doorkeeper can give away.
    uint256 public constant RESERVED = 10;
    /// @notice Who opens phases and receives the ether.
    address public immutable doorkeeper;
    /// @notice Name of the collection.
    string public name;
    /// @notice What every pass's address begins with.
    string public baseURI;
    /// @notice The phase of the sale.
    Phase public phase;
    /// @notice Wei a pass in the open phase; listed accounts pay three quarters.
    uint256 public price;
    /// @notice Passes made so far, the burned ones included; they are numbered from 1.
    uint256 public minted;
    /// @notice Passes burned.
    uint256 public burned;
    /// @notice Passes given away by the doorkeeper.
    uint256 public given;
    /// @notice Root of the list's hash tree.
    bytes32 public listRoot;
    /// @notice Passes that each account has bought as a listed one.
    mapping(address => uint256) public listedBought;
    /// @notice When the lock of a pass ends, in seconds since 1970.
    mapping(uint256 => uint256) public lockedUntil;
    /// @dev The account that bought the most recent pass; read by no function.
    address private lastBuyer;

    /// @notice The sale entered `phase`.
    event PhaseEntered(Phase phase);
    /// @notice `buyer` bought `count` passes from number `first` on.
    event Bought(address indexed buyer, uint256 first, uint256 count, bool listed);
    /// @notice A pass was locked.
    event Locked(uint256 indexed tokenId, uint256 until);
    /// @notice The list was set.
    event ListSet(bytes32 root);

    /// @notice This cannot be done in the present phase.
    error WrongPhase(Phase phase);
    /// @notice The ether sent is not the price.
    error WrongPrice(uint256 sent, uint256 due);
    /// @notice Zero passes, or more than allowed.
    error WrongCount(uint256 count);
    /// @notice Fewer passes are left.
    error SoldOut(uint256 left);
    /// @notice The caller is not on the list with that number.
    error NotListed(address caller);
    /// @notice The pass cannot move yet.
    error StillLocked(uint256 tokenId, uint256 until);
    /// @notice The ether was refused.
    error NotTaken();

    /// @notice Sets name, address and price; the deployer is the doorkeeper and the sale is closed.
    /// @param name_ Name of the collection.
    /// @param baseURI_ What every pass's address begins with.
    /// @param price_ Wei a pass in the open phase.
    constructor(string memory name_, string memory baseURI_, uint256 price_) {
        doorkeeper = msg.sender;
        name = name_;
        baseURI = baseURI_;
        price = price_;
    }

    /// @notice Returns the number of passes that exist.
    function totalSupply() external view returns (uint256) {
        return minted - burned;
    }

    /// @notice Returns the address of what a pass shows: baseURI, number, ".json". Reverts with NoSuchPass.
    function tokenURI(uint256 tokenId) external view returns (string memory) {
        ownerOf(tokenId);
        return string(abi.encodePacked(baseURI, tokenId.text(), ".json"));
    }

    /// @notice Returns the wei a pass for listed accounts: three quarters of the price, rounded up.
    function listedPrice() public view returns (uint256) {
        return (price * 3 + 3) / 4;
    }

    /// @notice Returns how many passes can still be bought: what is left, less the reserved ones not yet given away.
    function available() public view returns (uint256) {
        return LARGEST_SUPPLY - minted - (RESERVED - given);
    }

    /// @notice Buys `count` passes as a listed account, to which the list gives `granted` in all.
    /// @dev The list's leaf is keccak256 of the packed account and `granted` (256 bits). Checks in this order: WrongPhase
    /// unless Listed, NotListed when the path does not prove the leaf, WrongCount for zero or more than what is left of
    /// the grant, WrongPrice unless the exact price is sent, SoldOut. Emits Transfer for each pass, then Bought.
    function buyListed(uint256 count, uint256 granted, bytes32[] calldata path) external payable {
        if (phase != Phase.Listed) revert WrongPhase(phase);
        bytes32 leaf = keccak256(abi.encodePacked(msg.sender, granted));
        if (!HashTree.proves(path, listRoot, leaf)) revert NotListed(msg.sender);
        if (count == 0 || listedBought[msg.sender] + count > granted) revert WrongCount(count);
        uint256 due = listedPrice() * count;
        if (msg.value != due) revert WrongPrice(msg.value, due);
        if (count > available()) revert SoldOut(available());
        listedBought[msg.sender] += count;
        make(msg.sender, count, true);
    }

    /// @notice Buys `count` passes in the open phase.
    /// @dev Checks in this order: WrongPhase unless Open, WrongCount for zero or more than PER_PURCHASE, WrongPrice when
    /// less than the price is sent, SoldOut. What is sent above the price goes back (NotTaken when refused). Emits
    /// Transfer for each pass, then Bought.
    function buy(uint256 count) external payable {
        if (phase != Phase.Open) revert WrongPhase(phase);
        if (count == 0 || count > PER_PURCHASE) revert WrongCount(count);
        uint256 due = price * count;
        if (msg.value < due) revert WrongPrice(msg.value, due);
        if (count > available()) revert SoldOut(available());
        make(msg.sender, count, false);
        if (msg.value > due) pay(msg.sender, msg.value - due);
    }

    /// @notice Gives one pass to each of `accounts`, out of the reserved ones.
    /// @dev Only the doorkeeper (NotAllowed), in any phase. Reverts with WrongCount when more than RESERVED would have
    /// been given, and with Nobody. Emits Transfer for each.
    function give(address[] calldata accounts) external {
        if (msg.sender != doorkeeper) revert NotAllowed(msg.sender);
        if (given + accounts.length > RESERVED) revert WrongCount(accounts.length);
        given += accounts.length;
        for (uint256 i = 0; i < accounts.length; i++) {
            if (accounts[i] == address(0)) revert Nobody();
            _write(address(0), accounts[i], ++minted);
        }
    }

    /// @notice Enters the next phase.
    /// @dev Only the doorkeeper (NotAllowed). Reverts with WrongPhase once Ended, and before Listed while there is no
    /// list. Emits PhaseEntered.
    function nextPhase() external {
        if (msg.sender != doorkeeper) revert NotAllowed(msg.sender);
        if (phase == Phase.Ended || (phase == Phase.Closed && listRoot == 0)) revert WrongPhase(phase);
        phase = Phase(uint8(phase) + 1);
        emit PhaseEntered(phase);
    }

    /// @notice Sets the list. Only the doorkeeper (NotAllowed), not in the phases Open and Ended (WrongPhase). Emits
    /// ListSet.
    function setList(bytes32 root) external {
        if (msg.sender != doorkeeper) revert NotAllowed(msg.sender);
        if (phase > Phase.Listed) revert WrongPhase(phase);
        listRoot = root;
        emit ListSet(root);
    }

    /// @notice Sets the price; it can only fall while the sale runs.
    /// @dev Only the doorkeeper (NotAllowed). Reverts with WrongPrice(new, present) for a higher price unless Closed.
    function setPrice(uint256 price_) external {
        if (msg.sender != doorkeeper) revert NotAllowed(msg.sender);
        if (phase != Phase.Closed && price_ > price) revert WrongPrice(price_, price);
        price = price_;
    }

    /// @notice Locks a pass for `time` seconds from now: it can neither be handed on nor burned.
    /// @dev Only its owner (NotAllowed). A lock can be prolonged, never shortened (StillLocked). Emits Locked.
    function lock(uint256 tokenId, uint256 time) external {
        if (ownerOf(tokenId) != msg.sender) revert NotAllowed(msg.sender);
        uint256 until = block.timestamp + time;
        if (until < lockedUntil[tokenId]) revert StillLocked(tokenId, lockedUntil[tokenId]);
        lockedUntil[tokenId] = until;
        emit Locked(tokenId, until);
    }

    /// @notice Hands a pass on, as PassBase does, unless it is locked (StillLocked, checked first).
    function transferFrom(address from, address to, uint256 tokenId) public override {
        unlocked(tokenId);
        super.transferFrom(from, to, tokenId);
    }

    /// @notice Destroys a pass. Who may hand it on may burn it (NotAllowed), unless it is locked (StillLocked, checked
    /// after that). Its number is not used again; its lock is forgotten.
    function burn(uint256 tokenId) external {
        address owner = ownerOf(tokenId);
        if (!_may(owner, tokenId)) revert NotAllowed(msg.sender);
        unlocked(tokenId);
        burned += 1;
        delete lockedUntil[tokenId];
        _write(owner, address(0), tokenId);
    }

    /// @notice Sends all ether to the doorkeeper. Anybody may call it. Reverts with NotTaken.
    /// @return amount The wei sent.
    function collect() external returns (uint256 amount) {
        amount = address(this).balance;
        pay(doorkeeper, amount);
    }

    /// @dev Makes `count` passes for `buyer` and emits Bought.
    function make(address buyer, uint256 count, bool listed) private {
        uint256 first = minted + 1;
        for (uint256 i = 0; i < count; i++) {
            _write(address(0), buyer, first + i);
        }
        minted += count;
        lastBuyer = buyer;
        emit Bought(buyer, first, count, listed);
    }

    /// @dev Reverts with StillLocked before the lock of a pass ends.
    function unlocked(uint256 tokenId) private view {
        uint256 until = lockedUntil[tokenId];
        if (block.timestamp < until) revert StillLocked(tokenId, until);
    }

    /// @dev Sends ether, and reverts with NotTaken when it is refused.
    function pay(address to, uint256 amount) private {
        (bool taken, ) = to.call{value: amount}("");
        if (!taken) revert NotTaken();
    }
}
