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
    function priced(Price offer) external { require(offer + Price.wrap(1) > price, "price"); locked = 1; require(locked == 1); }
    function pay(address payable to, uint256 amount) external payable {
        require(to.code.length == 0 && amount > 0, "to");
        (bool done, ) = to.call{value: amount}("");
        if (!done) revert("refused");
        require(address(this).balance <= 5, "left");
    }
    function signed(int8 x, int64 y) external { require(-x > 3 && y / x < -2 && x % 2 == -1 && (y >> 1) != y, "signed"); }
    function cut() external { list.pop(); list.pop(); delete members; require(list.length == 0 && members.list.length == 0); }
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

MODERN_VERDICTS = """\
"""
