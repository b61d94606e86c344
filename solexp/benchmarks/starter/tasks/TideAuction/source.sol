// SPDX-License-Identifier: MIT
pragma solidity ^0.8.9;

/// @title Prices that fall with time
library Descent {
    struct Curve {
        uint128 start;
        uint128 floor;
        uint64 begins;
        uint32 step;
        uint128 drop;
    }

    /// @notice Returns the price at `time`: it starts at `start`, falls by `drop` after every `step` seconds and never
    /// below `floor`.
    function at(Curve memory curve, uint256 time) internal pure returns (uint256) {
        if (time <= curve.begins) return curve.start;
        uint256 fall = ((time - curve.begins) / curve.step) * curve.drop;
        uint256 room = curve.start - curve.floor;
        return fall >= room ? curve.floor : curve.start - fall;
    }
}

/// @title Who owns which shell
abstract contract ShellRegister {
    mapping(uint256 => address) internal owners;
    mapping(address => uint256) internal counts;

    event Transfer(address indexed from, address indexed to, uint256 indexed tokenId);

    function ownerOf(uint256 tokenId) public view returns (address) {
        address owner = owners[tokenId];
        require(owner != address(0), "no such shell");
        return owner;
    }

    function balanceOf(address owner) external view returns (uint256) {
        return counts[owner];
    }

    function register(address to, uint256 tokenId) internal {
        owners[tokenId] = to;
        counts[to] += 1;
        emit Transfer(address(0), to, tokenId);
    }

    function reregister(address from, address to, uint256 tokenId) internal {
        owners[tokenId] = to;
        counts[from] -= 1;
        counts[to] += 1;
        emit Transfer(from, to, tokenId);
    }
}

/// @title Money that is owed and fetched
abstract contract Payer {
    /// @notice Wei that each account can fetch.
    mapping(address => uint256) public owed;

    event Fetched(address indexed account, uint256 amount);

    /// @notice Sends the caller what it is owed.
    function fetch() external returns (uint256 amount) {
        amount = owed[msg.sender];
        require(amount > 0, "nothing owed");
        owed[msg.sender] = 0;
        emit Fetched(msg.sender, amount);
        (bool taken, ) = msg.sender.call{value: amount}("");
        require(taken, "not taken");
    }
}

/// @title Tide auction: numbered shells sold at a falling price, all at the price of the last one
/// @notice Buyers pay the price of the moment. When all shells are sold, or the owner ends the auction, the last price
/// paid counts for all: who paid more is owed the difference. Shells can be handed on, and listed in a small market
/// between owners.
contract TideAuction is ShellRegister, Payer {
    using Descent for Descent.Curve;

    /// @notice What an account has bought.
    struct Account {
        uint32 count;
        uint224 paid;
    }

    /// @notice An owner's offer to sell.
    struct Offer {
        address seller;
        uint96 price;
    }

    /// @notice Most shells an account can buy in the auction.
    uint256 public constant PER_ACCOUNT = 5;
    /// @notice Part of a resale that goes to the auctioneer, in basis points, rounded down.
    uint256 public constant ROYALTY = 250;
    /// @notice Who receives what the auction brings.
    address public immutable auctioneer;
    /// @notice Number of shells on sale; they are numbered from 0.
    uint256 public immutable size;
    /// @notice How the price falls.
    Descent.Curve public curve;
    /// @notice Number of shells sold.
    uint256 public sold;
    /// @notice Price of the last shell sold; 0 before the first.
    uint256 public lastPrice;
    /// @notice Whether the auction is over.
    bool public over;
    /// @notice What each account has bought; emptied when its refund is worked out.
    mapping(address => Account) public accounts;
    /// @notice The offer for a shell; all zero when there is none.
    mapping(uint256 => Offer) public offers;
    /// @dev Who bought each shell in the auction; read by no function.
    mapping(uint256 => address) private firstBuyers;

    /// @notice `buyer` bought `count` shells from number `first` on, for `price` each.
    event Sold(address indexed buyer, uint256 first, uint256 count, uint256 price);
    /// @notice The auction ended at `price` with `count` shells sold.
    event Over(uint256 price, uint256 count);
    /// @notice `account` is owed `amount` wei back.
    event Rebate(address indexed account, uint256 amount);
    /// @notice A shell is offered for `price`, or no longer when that is 0.
    event Offered(uint256 indexed tokenId, uint256 price);
    /// @notice A shell was resold.
    event Resold(uint256 indexed tokenId, address indexed from, address indexed to, uint256 price);

    /// @notice Sets what is sold and how the price falls; the deployer is the auctioneer.
    /// @dev Reverts with "bad curve" unless floor <= start, drop and step are not zero, and the beginning is not in the
    /// past; with "no shells" for a size of zero.
    /// @param size_ Number of shells.
    /// @param start First price in wei.
    /// @param floor Lowest price in wei.
    /// @param begins When the auction begins, in seconds since 1970.
    /// @param step Seconds between two falls.
    /// @param drop Wei of each fall.
    constructor(uint256 size_, uint128 start, uint128 floor, uint64 begins, uint32 step, uint128 drop) {
        require(floor <= start && drop > 0 && step > 0 && begins >= block.timestamp, "bad curve");
        require(size_ > 0, "no shells");
        auctioneer = msg.sender;
        size = size_;
        curve = Descent.Curve(start, floor, begins, step, drop);
    }

    /// @notice Returns the price at this time, and once the auction is over the last price.
    function price() public view returns (uint256) {
        return over ? lastPrice : curve.at(block.timestamp);
    }

    /// @notice Returns what `account` will be owed, or has not asked for, if the auction ends at the last price: what it
    /// paid less its shells at that price.
    function rebateOf(address account) public view returns (uint256) {
        Account memory known = accounts[account];
        return known.paid - known.count * lastPrice;
    }

    /// @notice Buys `count` shells at the price of this moment.
    /// @dev Reverts with "over", with "not begun" before the beginning, with "bad count" for zero or more than
    /// PER_ACCOUNT in all, with "sold out" when fewer are left, and with "too little" when less than the price is sent.
    /// What is sent above it is owed to the caller at once. The sale of the last shell ends the auction. Emits Transfer
    /// for each shell, Sold, and Over when it ends.
    function buy(uint256 count) external payable {
        require(!over, "over");
        require(block.timestamp >= curve.begins, "not begun");
        Account storage mine = accounts[msg.sender];
        require(count > 0 && mine.count + count <= PER_ACCOUNT, "bad count");
        require(sold + count <= size, "sold out");
        uint256 each = price();
        uint256 due = each * count;
        require(msg.value >= due, "too little");
        owed[msg.sender] += msg.value - due;
        uint256 first = sold;
        sold = first + count;
        lastPrice = each;
        mine.count += uint32(count);
        mine.paid += uint224(due);
        for (uint256 tokenId = first; tokenId < first + count; tokenId++) {
            firstBuyers[tokenId] = msg.sender;
            register(msg.sender, tokenId);
        }
        emit Sold(msg.sender, first, count, each);
        if (sold == size) end();
    }

    /// @notice Ends the auction before all is sold.
    /// @dev Only the auctioneer ("auctioneer only"); reverts with "over". Emits Over.
    function close() external {
        require(msg.sender == auctioneer, "auctioneer only");
        require(!over, "over");
        end();
    }

    /// @notice Works out what `account` is owed back after the auction.
    /// @dev Anybody may call it for anybody. Reverts with "not over" and with "nothing bought" when the account has
    /// bought nothing or this was done before. Emits Rebate, also of zero.
    /// @return amount The wei.
    function settle(address account) external returns (uint256 amount) {
        require(over, "not over");
        require(accounts[account].count > 0, "nothing bought");
        amount = rebateOf(account);
        delete accounts[account];
        owed[account] += amount;
        emit Rebate(account, amount);
    }

    /// @notice Hands a shell on; an offer for it ends without an event.
    /// @dev Only its owner ("not the owner"). Reverts with "nobody" for the zero address and with "no such shell". Emits
    /// Transfer.
    function hand(address to, uint256 tokenId) external {
        require(ownerOf(tokenId) == msg.sender, "not the owner");
        require(to != address(0), "nobody");
        delete offers[tokenId];
        reregister(msg.sender, to, tokenId);
    }

    /// @notice Offers a shell for `price_` wei; 0 ends the offer.
    /// @dev Only its owner ("not the owner"), once the auction is over ("not over"). Reverts with "nothing to do" when
    /// there is no offer to end, and with "no such shell". Emits Offered.
    function offer(uint256 tokenId, uint96 price_) external {
        require(over, "not over");
        require(ownerOf(tokenId) == msg.sender, "not the owner");
        if (price_ == 0) {
            require(offers[tokenId].seller != address(0), "nothing to do");
            delete offers[tokenId];
        } else {
            offers[tokenId] = Offer(msg.sender, price_);
        }
        emit Offered(tokenId, price_);
    }

    /// @notice Buys an offered shell for exactly its price.
    /// @dev Reverts with "not offered", with "own shell" for its owner, and with "wrong price". The seller is owed the
    /// price less the royalty, the auctioneer the royalty. The offer ends. Emits Transfer, then Resold.
    function take(uint256 tokenId) external payable {
        Offer memory found = offers[tokenId];
        require(found.seller != address(0), "not offered");
        require(found.seller != msg.sender, "own shell");
        require(msg.value == found.price, "wrong price");
        uint256 royalty = (msg.value * ROYALTY) / 10_000;
        owed[auctioneer] += royalty;
        owed[found.seller] += msg.value - royalty;
        delete offers[tokenId];
        reregister(found.seller, msg.sender, tokenId);
        emit Resold(tokenId, found.seller, msg.sender, found.price);
    }

    /// @dev Ends the auction: the auctioneer is owed every sold shell at the last price. Emits Over.
    function end() private {
        over = true;
        owed[auctioneer] += sold * lastPrice;
        emit Over(lastPrice, sold);
    }
}
