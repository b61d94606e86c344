"""Small contracts, each with the constructs of one compiler series."""

from __future__ import annotations

MODERN = """
type Price is uint128;
using {plus as +, isMore as >} for Price global;
function plus(Price x, Price y) pure returns (Price) { return Price.wrap(Price.unwrap(x) + Price.unwrap(y)); }
function isMore(Price x, Price y) pure returns (bool) { return Price.unwrap(x) > Price.unwrap(y); }
error Outside(uint256 lower, address who);
library Set {
    struct Members { address[] list; mapping(address => uint256) place; }
    function has(Members storage self, address who) internal view returns (bool) { return self.place[who] != 0; }
    function add(Members storage self, address who) internal returns (bool) {
        if (self.place[who] != 0) return false;
        self.list.push(who);
        self.place[who] = self.list.length;
        return true;
    }
}
interface Named { function limit() external view returns (uint256); }
abstract contract Owned is Named {
    address public owner;
    bool internal busy;
    error NotOwner(address who);
    constructor() { owner = msg.sender; }
    modifier onlyOwner() virtual { if (msg.sender != owner) revert NotOwner(msg.sender); _; }
    modifier atMost(uint256 x, uint256 most) { require(x <= most, string(abi.encodePacked("more than ", "most"))); _; }
    modifier alone() { require(!busy); busy = true; _; busy = false; }
    function step(uint256 x) public virtual onlyOwner returns (uint256) { require(x != 3, "three"); return x + 1; }
    function under(uint256 x) internal view { require(x < this.limit(), "limit"); }
}
contract Box is Owned {
    using Set for Set.Members;
    enum Phase { Shut, Open, Over }
    struct Order { address who; uint96 amount; Phase phase; string note; }
    uint256 public override limit = 50;
    uint256 public immutable born;
    uint256 constant LEAST = 2 * 5;
    Set.Members members;
    mapping(address => mapping(uint256 => Order)) orders;
    mapping(string => uint256) named;
    uint256[] public list;
    bytes32 secret = keccak256("open");
    Phase phase = Phase.Open;
    Price price = Price.wrap(5);
    string title = "none";
    uint256 transient locked;
    constructor() {
        born = block.timestamp;
        members.add(msg.sender);
        orders[msg.sender][7].amount = 9;
        orders[msg.sender][7].who = msg.sender;
        list.push(11); list.push(12);
        named["one"] = 1;
    }
    function step(uint256 x) public override atMost(x, 20) returns (uint256) { return super.step(x) + 1; }
    function join(address who) external alone { require(members.add(who), "twice"); under(members.list.length * 20); }
    function order(uint256 id, uint96 amount, Phase to) external payable {
        Order storage found = orders[msg.sender][id];
        if (found.who == address(0)) revert Outside({who: msg.sender, lower: id});
        require(amount >= LEAST, Outside(amount, msg.sender));
        unchecked { found.amount += amount; }
        require(found.amount > 20 || to == Phase.Over);
        require(msg.value == found.amount, "value");
        assert(to != Phase.Shut);
    }
    function pick(uint8 at, uint256 raw) external view_ returns (uint256) {
        uint256 found = list[at];
        require(Phase(raw) == phase, "phase");
        return found / (raw - 1 + found);
    }
    modifier view_() { _; }
    function unlock(string calldata word, bytes4 tag) external {
        require(keccak256(bytes(word)) == secret, "word");
        require(bytes(word).length > 3);
        require(tag == msg.sig || tag == this.unlock.selector || tag == type(Named).interfaceId, "tag");
    }
    function retitle(string memory to) external onlyOwner {
        require(bytes(to).length > 0 && bytes(to)[0] == "A", "title");
        require(keccak256(abi.encodePacked(title)) != keccak256(abi.encodePacked(to)), "same");
        require(named["one"] == 1, "never");
        title = to;
    }
    function batch(address[] calldata to, uint256[2] memory most, uint16[] memory amounts) external {
        require(to.length == amounts.length && to.length > 1, "lengths");
        uint16 sum;
        for (uint256 i; i < to.length; ++i) {
            if (to[i] == address(this)) continue;
            sum += amounts[i];
            if (sum > most[0]) revert("sum");
        }
        require(sum >= most[1], "least");
    }
    function late() external {
        require(block.timestamp >= born + 1 days, "early");
        require(block.number % 2 == 0 || block.chainid != 1, "even");
    }
    function priced(Price offer) external {
        require(offer + Price.wrap(1) > price, "price");
        locked = 1;
        require(locked == 1);
    }
    function pay(address payable to, uint256 amount) external payable {
        require(to.code.length == 0 && amount > 0, "to");
        (bool done, ) = to.call{value: amount}("");
        if (!done) revert("refused");
        require(address(this).balance <= 5, "left");
    }
    function signed(int8 x, int64 y) external {
        require(-x > 3 && y / x < -2 && x % 2 == -1 && (y >> 1) != y, "signed");
    }
    function cut() external {
        list.pop(); list.pop(); delete members;
        require(list.length == 0 && members.list.length == 0);
    }
    function oneOf(Order calldata wanted) external {
        Order memory kept = wanted;
        Order memory other = kept;
        other.amount += 1;
        require(kept.amount == 8 && wanted.amount == 7, "amount");
    }
    function ask(Named other) external returns (uint256) {
        require(address(other) != address(0), "nobody");
        uint256 said = other.limit();
        require(said > 0, "said");
        return said;
    }
    receive() external payable { require(msg.value != 1 ether, "one"); }
}
"""

OLD = """
library Safe {
    function sub(uint256 a, uint256 b) internal constant returns (uint256) { assert(b <= a); return a - b; }
}
contract Owned {
    address public owner;
    function Owned() public { owner = msg.sender; }
    modifier onlyOwner { if (msg.sender != owner) throw; _; }
    function hand(address to) public onlyOwner { require(to != 0); owner = to; }
}
contract Box is Owned {
    using Safe for uint256;
    enum Phase { Shut, Open }
    struct Bid { uint128 amount; address who; }
    mapping(address => uint256) held;
    mapping(bytes32 => Bid) bids;
    Bid[] all;
    Phase phase;
    bytes name = "box";
    uint256 ends;
    function Box() public {
        held[msg.sender] = 20;
        ends = now + 10;
        bids[keccak256(msg.sender, uint256(1))] = Bid(3, msg.sender);
        all.push(Bid(1, this));
        all.push(Bid({who: msg.sender, amount: 2}));
    }
    function hand(address to) public { require(to != msg.sender); super.hand(to); }
    function send(address to, uint256 amount) public returns (bool) {
        held[msg.sender] = held[msg.sender].sub(amount);
        held[to] += amount;
        require(held[to] >= amount);
        return true;
    }
    function bid(uint256 salt) public payable {
        var found = bids[keccak256(msg.sender, salt)];
        require(found.who != 0);
        require(msg.value > found.amount);
        found.amount = uint128(msg.value);
        if (!owner.send(msg.value - 3)) revert();
        owner.transfer(1);
    }
    function phased(uint8 to) public { Phase next = Phase(to); require(next != phase); phase = next; }
    function drop(uint256 at) public onlyOwner {
        all[at] = all[all.length - 1];
        all.length--;
        require(all[0].who == msg.sender);
        require(now < ends && name.length == 3);
    }
    function mixed(int256 x, uint8 y) public constant returns (uint8) { return uint8(x) + y; }
    function shifted(int16 x, uint8 y) public { require(x >> 2 == -3 && uint8(y + 100) < 20 && x / 4 == -2); }
    function pay(address to, uint256 amount) public {
        if (amount == 0) return;
        require(to.call.value(amount)());
    }
    function () public payable { require(msg.value < 5); }
}
"""

MIDDLE = """
pragma experimental ABIEncoderV2;
library Lib {
    function isContract(address who) internal view returns (bool) {
        uint256 size;
        assembly { size := extcodesize(who) }
        return size > 0;
    }
    function chain() internal pure returns (uint256 id) { assembly { id := chainid() } }
}
interface Limited { function most() external view returns (uint256); }
contract First { function check(uint256 x) internal view virtual { require(x > 1, "first"); } }
contract Second is First {
    function check(uint256 x) internal view virtual override { super.check(x); require(x > 2, "second"); }
}
contract Third is First {
    function check(uint256 x) internal view virtual override { super.check(x); require(x > 3, "third"); }
}
contract Box is Second, Third, Limited {
    using Lib for address;
    enum Kind { None, Some }
    struct Item { address to; uint64 amount; Kind kind; }
    uint256 public override most = 9;
    Item[] items;
    bool[3] marks;
    int24 level = -7;
    bytes32 constant WORD = keccak256("word");
    mapping(bool => mapping(int8 => uint8)) table;
    constructor() { items.push(Item(msg.sender, 3, Kind.Some)); marks[1] = true; table[true][-1] = 9; }
    function check(uint256 x) internal view override(Second, Third) { super.check(x); require(x < this.most(), "own"); }
    function checked(uint256 x) external { check(x); }
    function put(Item calldata item, uint256 at) external {
        require(!item.to.isContract(), "contract");
        require(item.kind == Kind.Some && item.amount + 1 > items[at].amount, "kind");
        require(Lib.chain() == 1);
        items[at] = item;
        items.push();
        require(items[items.length - 1].to == address(0) && items[at].amount < 10, "item");
        delete items[at].amount;
        assert(items[at].amount == 0);
    }
    function mark(uint8 at, bool on) public payable returns (uint256 count) {
        require(marks[at] != on, "same");
        marks[at] = on;
        for (uint256 i = 0; i < 3; i++) { if (marks[i]) count++; }
        require(count == 0 || count == 2, "count");
        require(msg.value == count * 1 ether, "price");
    }
    function look(int8 row, uint8 wanted) external { require(table[row < 0][row] == wanted && wanted > 0, "row"); }
    function deep(int24 x) external {
        level -= x;
        require(level > 100 && x < 0, "level");
        require(level * 2 > level, "twice");
    }
    function pow(uint8 x, uint256 y) external { require(uint256(x) ** 2 == 49 && 2 ** y == 1024, "power"); }
    function twice(uint256[] memory list) external {
        uint256[] memory other = list;
        other[0] = 5;
        (uint256 a, uint256 b) = (list[0], other[1]);
        (a, b) = (b, a);
        require(a == 6 && b == 5, "list");
        uint256[] memory made = new uint256[](2);
        made[1] = a;
        require(made[0] + made[1] + list.length == 8, "made");
    }
    function code(bytes32 word, bytes4 half) external {
        require(word == WORD && bytes4(word) == half && half[0] != 0, "word");
    }
    fallback() external payable { require(msg.value == 0, "plain"); }
}
"""
