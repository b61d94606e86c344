// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// @title Asked when a contract is to get relics
interface RelicTaker {
    /// @notice Must return this function's own selector, or the transfer is undone.
    function onERC1155BatchReceived(
        address operator,
        address from,
        uint256[] calldata ids,
        uint256[] calldata amounts,
        bytes calldata data
    ) external returns (bytes4);
}

/// @title Decimal numbers as text
library Digits {
    /// @notice Returns `number` in decimal digits.
    function text(uint256 number) internal pure returns (string memory) {
        if (number == 0) return "0";
        bytes memory digits;
        for (; number > 0; number /= 10) {
            digits = abi.encodePacked(bytes1(uint8(48 + (number % 10))), digits);
        }
        return string(digits);
    }
}

/// @title Who leads a game
abstract contract Led {
    /// @notice The leader, who names the smiths.
    address public leader;
    /// @notice Whether an account may forge relics.
    mapping(address => bool) public smiths;
    /// @notice Whether relics stay where they are.
    bool public asleep;

    event SmithSet(address indexed account, bool value);
    event Slept(bool value);

    error Unauthorised(address account);
    error Asleep();

    constructor() {
        leader = msg.sender;
    }

    modifier onlyLeader() {
        if (msg.sender != leader) revert Unauthorised(msg.sender);
        _;
    }

    modifier whileAwake() {
        if (asleep) revert Asleep();
        _;
    }

    /// @notice Makes `account` a smith, or ends that. Only the leader.
    function setSmith(address account, bool value) external onlyLeader {
        smiths[account] = value;
        emit SmithSet(account, value);
    }

    /// @notice Sends the game to sleep, or wakes it. Only the leader.
    function sleep(bool value) external onlyLeader {
        asleep = value;
        emit Slept(value);
    }
}

/// @title Relic satchel: the inventory of a game, many kinds of relics in one contract
/// @notice Smiths define kinds and forge relics of them. Players hand relics on, singly or in batches, let operators do
/// so, break them, and combine them by recipes. Some kinds are bound to whoever got them first.
/// @dev The functions for holders are those of ERC1155.
contract RelicSatchel is Led {
    /// @notice A kind of relics: how many there can ever be at a time, and how many there are.
    struct Kind {
        uint128 cap;
        uint128 supply;
        bool bound;
        string label;
    }

    /// @notice A gift for one account.
    struct Gift {
        address to;
        uint256 id;
        uint128 amount;
    }

    /// @dev What is taken and what is given for it; a recipe can be used again after `pause` seconds by each account.
    struct Recipe {
        uint256[] ids;
        uint256[] amounts;
        uint256 id;
        uint128 amount;
        uint64 pause;
    }

    /// @notice Different kinds that a batch, or a recipe, can have at most.
    uint256 public constant LONGEST = 16;
    /// @notice Number of kinds; they are numbered from 1.
    uint256 public kindCount;
    /// @notice The kinds.
    mapping(uint256 => Kind) public kinds;
    /// @notice Whether an owner (first key) lets an operator (second key) hand all relics on.
    mapping(address => mapping(address => bool)) public isApprovedForAll;
    /// @notice When an account (second key) can use a recipe (first key) again.
    mapping(uint256 => mapping(address => uint256)) public restsUntil;
    /// @notice The beginning of every relic's address on the web.
    string public base;
    /// @dev Relics of each kind (first key) and account.
    mapping(uint256 => mapping(address => uint256)) private held;
    /// @dev The recipes; they are numbered from 0.
    Recipe[] private recipes;
    /// @dev Relics that each account has broken; read by no function.
    mapping(address => uint256) private broken;

    /// @notice `operator` moved relics; the zero address stands for forging and breaking.
    event TransferSingle(
        address indexed operator,
        address indexed from,
        address indexed to,
        uint256 id,
        uint256 value
    );
    event TransferBatch(
        address indexed operator,
        address indexed from,
        address indexed to,
        uint256[] ids,
        uint256[] values
    );
    event ApprovalForAll(address indexed owner, address indexed operator, bool approved);
    /// @notice The address of a relic on the web changed.
    event URI(string value, uint256 indexed id);
    /// @notice A kind was defined.
    event Defined(uint256 indexed id, uint128 cap, bool bound, string label);
    /// @notice A recipe was written down.
    event Learned(uint256 indexed recipe, uint256 indexed id, uint128 amount);
    /// @notice `account` used a recipe so many times, and marked it.
    event Combined(address indexed account, uint256 indexed recipe, uint128 times, bytes32 mark);

    /// @notice Lists are not of the same length, or too long, or empty.
    error BadLists();
    /// @notice There is no such kind or recipe, or the argument makes no sense.
    error BadArgument();
    /// @notice The account has fewer relics.
    error TooFew(uint256 id, uint256 found);
    /// @notice There would be more relics than can be.
    error AboveCap(uint256 id);
    /// @notice The relic stays with whoever has it.
    error Bound(uint256 id);
    /// @notice The recipe cannot be used yet.
    error TooEarly(uint256 until);
    /// @notice The receiving contract did not take the relics.
    error NotTaken();

    /// @notice Makes the deployer leader, who is no smith yet.
    constructor(string memory base_) {
        base = base_;
    }

    /// @notice Returns the address of a relic on the web: base, the number in decimal digits and ".json".
    /// @dev Reverts with BadArgument when there is no such kind.
    function uri(uint256 id) public view returns (string memory) {
        if (id == 0 || id > kindCount) revert BadArgument();
        return string.concat(base, Digits.text(id), ".json");
    }

    /// @notice Returns the relics of one kind that `account` holds; none of a kind that does not exist.
    function balanceOf(address account, uint256 id) public view returns (uint256) {
        return held[id][account];
    }

    /// @notice Returns the relics of each account and kind. Reverts with BadLists for lists of different length.
    function balanceOfBatch(
        address[] calldata accounts,
        uint256[] calldata ids
    ) external view returns (uint256[] memory balances) {
        if (accounts.length != ids.length) revert BadLists();
        balances = new uint256[](ids.length);
        for (uint256 i = 0; i < ids.length; i++) balances[i] = balanceOf(accounts[i], ids[i]);
    }

    /// @notice Returns what a recipe takes and gives. Reverts with BadArgument when there is none.
    function recipe(
        uint256 index
    ) external view returns (uint256[] memory ids, uint256[] memory amounts, uint256 id, uint128 amount, uint64 pause) {
        if (index >= recipes.length) revert BadArgument();
        Recipe storage found = recipes[index];
        return (found.ids, found.amounts, found.id, found.amount, found.pause);
    }

    /// @notice Sets the beginning of every relic's address. Only the leader (Unauthorised).
    /// @dev Emits URI for every kind.
    function setBase(string calldata base_) external onlyLeader {
        base = base_;
        for (uint256 id = 1; id <= kindCount; id++) emit URI(uri(id), id);
    }

    /// @notice Defines a kind of which there are `cap` relics at most.
    /// @dev Only smiths (Unauthorised). Reverts with BadArgument for a cap of zero or without a label. Emits Defined, URI.
    /// @return id The number of the kind.
    function defineKind(string calldata label, uint128 cap, bool bound) external returns (uint256 id) {
        if (!smiths[msg.sender]) revert Unauthorised(msg.sender);
        if (cap == 0 || bytes(label).length == 0) revert BadArgument();
        id = ++kindCount;
        kinds[id] = Kind(cap, 0, bound, label);
        emit Defined(id, cap, bound, label);
        emit URI(uri(id), id);
    }

    /// @notice Forges relics for several accounts.
    /// @dev Only smiths (Unauthorised), while awake (Asleep). Reverts with BadLists for no gift or more than LONGEST, with
    /// BadArgument for the zero address, with BadArgument for a kind that does not exist, with AboveCap, and as _ask does.
    /// Emits TransferSingle for each gift.
    function forge(Gift[] calldata gifts, bytes calldata data) external whileAwake {
        if (!smiths[msg.sender]) revert Unauthorised(msg.sender);
        if (gifts.length == 0 || gifts.length > LONGEST) revert BadLists();
        for (uint256 i = 0; i < gifts.length; i++) {
            Gift calldata gift = gifts[i];
            if (gift.to == address(0)) revert BadArgument();
            _add(gift.to, gift.id, gift.amount);
            emit TransferSingle(msg.sender, address(0), gift.to, gift.id, gift.amount);
            _ask(address(0), gift.to, _alone(gift.id), _alone(gift.amount), data);
        }
    }

    /// @notice Lets `operator` hand all relics of the caller on, or ends that.
    /// @dev Reverts with BadArgument for the caller. Emits ApprovalForAll.
    function setApprovalForAll(address operator, bool approved) external {
        if (operator == msg.sender) revert BadArgument();
        isApprovedForAll[msg.sender][operator] = approved;
        emit ApprovalForAll(msg.sender, operator, approved);
    }

    /// @notice Hands relics of one kind on. See _move. Emits TransferSingle.
    function safeTransferFrom(address from, address to, uint256 id, uint256 amount, bytes calldata data) external {
        _move(from, to, id, amount);
        emit TransferSingle(msg.sender, from, to, id, amount);
        _ask(from, to, _alone(id), _alone(amount), data);
    }

    /// @notice Hands relics of several kinds on; a kind can come more than once. See _move.
    /// @dev Reverts with BadLists for lists of different length or longer than LONGEST; they can be empty. Emits
    /// TransferBatch.
    function safeBatchTransferFrom(
        address from,
        address to,
        uint256[] calldata ids,
        uint256[] calldata amounts,
        bytes calldata data
    ) external {
        if (ids.length != amounts.length || ids.length > LONGEST) revert BadLists();
        for (uint256 i = 0; i < ids.length; i++) _move(from, to, ids[i], amounts[i]);
        emit TransferBatch(msg.sender, from, to, ids, amounts);
        _ask(from, to, ids, amounts, data);
    }

    /// @notice Breaks relics of `from`, also while asleep, also bound ones.
    /// @dev Only `from` or its operators (Unauthorised). Reverts with TooFew. Emits TransferSingle to the zero address.
    function smash(address from, uint256 id, uint256 amount) external {
        if (msg.sender != from && !isApprovedForAll[from][msg.sender]) revert Unauthorised(msg.sender);
        _take(from, id, amount);
        broken[from] += amount;
        emit TransferSingle(msg.sender, from, address(0), id, amount);
    }

    /// @notice Writes a recipe down: `amounts` of `ids` are turned into `amount` relics of `id`.
    /// @dev Only the leader (Unauthorised). Reverts with BadLists for lists of different length, empty ones or longer than
    /// LONGEST, with BadArgument for a kind that does not exist or an amount of zero. Emits Learned.
    /// @return index The recipe's number.
    function teach(
        uint256[] calldata ids,
        uint256[] calldata amounts,
        uint256 id,
        uint128 amount,
        uint64 pause
    ) external onlyLeader returns (uint256 index) {
        if (ids.length != amounts.length || ids.length == 0 || ids.length > LONGEST) revert BadLists();
        if (id == 0 || id > kindCount || amount == 0) revert BadArgument();
        for (uint256 i = 0; i < ids.length; i++) {
            if (ids[i] == 0 || ids[i] > kindCount || amounts[i] == 0) revert BadArgument();
        }
        index = recipes.length;
        recipes.push(Recipe(ids, amounts, id, amount, pause));
        emit Learned(index, id, amount);
    }

    /// @notice Uses a recipe `times` times, with the caller's relics.
    /// @dev While awake (Asleep). Reverts with BadArgument when there is no such recipe or for zero times, with TooEarly
    /// before the caller's pause is over, with TooFew and with AboveCap. The caller then pauses. Emits TransferSingle for
    /// each kind taken and for what is given, then Combined.
    function combine(uint256 index, uint128 times, bytes32 mark) external whileAwake {
        if (index >= recipes.length || times == 0) revert BadArgument();
        if (block.timestamp < restsUntil[index][msg.sender]) revert TooEarly(restsUntil[index][msg.sender]);
        Recipe storage used = recipes[index];
        restsUntil[index][msg.sender] = block.timestamp + used.pause;
        for (uint256 i = 0; i < used.ids.length; i++) {
            _take(msg.sender, used.ids[i], used.amounts[i] * times);
            emit TransferSingle(msg.sender, msg.sender, address(0), used.ids[i], used.amounts[i] * times);
        }
        _add(msg.sender, used.id, used.amount * times);
        emit TransferSingle(msg.sender, address(0), msg.sender, used.id, used.amount * times);
        emit Combined(msg.sender, index, times, mark);
    }

    /// @dev Moves relics, while awake (Asleep). Only `from` or its operators (Unauthorised). Reverts with BadArgument for
    /// the zero address as receiver, with Bound, and with TooFew.
    function _move(address from, address to, uint256 id, uint256 amount) private whileAwake {
        if (msg.sender != from && !isApprovedForAll[from][msg.sender]) revert Unauthorised(msg.sender);
        if (to == address(0)) revert BadArgument();
        if (kinds[id].bound) revert Bound(id);
        uint256 found = held[id][from];
        if (found < amount) revert TooFew(id, found);
        held[id][from] = found - amount;
        held[id][to] += amount;
    }

    /// @dev Makes relics. Reverts with BadArgument when there is no such kind, and with AboveCap.
    function _add(address to, uint256 id, uint128 amount) private {
        if (id == 0 || id > kindCount) revert BadArgument();
        Kind storage kind = kinds[id];
        if (amount > kind.cap - kind.supply) revert AboveCap(id);
        kind.supply += amount;
        held[id][to] += amount;
    }

    /// @dev Unmakes relics. Reverts with TooFew.
    function _take(address from, uint256 id, uint256 amount) private {
        uint256 found = held[id][from];
        if (found < amount) revert TooFew(id, found);
        held[id][from] = found - amount;
        kinds[id].supply -= uint128(amount);
    }

    /// @dev Asks a receiving contract (operator is the caller), and reverts with NotTaken unless it answers
    /// onERC1155BatchReceived with its selector; accounts without code are not asked.
    function _ask(address from, address to, uint256[] memory ids, uint256[] memory amounts, bytes calldata data) private {
        if (to.code.length == 0) return;
        bytes4 answer = RelicTaker(to).onERC1155BatchReceived(msg.sender, from, ids, amounts, data);
        if (answer != RelicTaker.onERC1155BatchReceived.selector) revert NotTaken();
    }

    /// @dev Returns a list of one number.
    function _alone(uint256 number) private pure returns (uint256[] memory list) {
        list = new uint256[](1);
        list[0] = number;
    }
}
