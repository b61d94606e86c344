// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// @title A ledger of curios, of which each is one of a kind
abstract contract CurioLedger {
    /// @notice What is known of a curio.
    struct Curio {
        address owner;
        address maker;
        uint16 royalty;
    }

    /// @notice Basis points of a price that a maker can ask for at most.
    uint256 public constant MOST_ROYALTY = 2000;
    /// @notice Number of curios; they are numbered from 1.
    uint256 public curioCount;
    /// @notice The curios.
    mapping(uint256 => Curio) public curios;

    event Moved(uint256 indexed id, address indexed from, address indexed to);

    error NotYours(uint256 id, address account);
    error BadArgument();

    /// @notice Makes a curio that belongs to the caller, who gets `royalty` basis points of the price of later sales.
    function make(uint16 royalty) external returns (uint256 id) {
        if (royalty > MOST_ROYALTY) revert BadArgument();
        id = ++curioCount;
        curios[id] = Curio(msg.sender, msg.sender, royalty);
        emit Moved(id, address(0), msg.sender);
    }

    modifier onlyOwnerOf(uint256 id) {
        if (curios[id].owner != msg.sender) revert NotYours(id, msg.sender);
        _;
    }

    function _move(uint256 id, address to) internal {
        emit Moved(id, curios[id].owner, to);
        curios[id].owner = to;
    }
}

/// @title Curio market: fixed and falling prices, auctions, and offers
/// @notice An owner lists a curio at a price that falls over time, or for auction; anybody can make an offer for any
/// curio. Makers get royalties and the keeper a fee. Nobody is paid at once: what is due is collected.
contract CurioMarket is CurioLedger {
    /// @notice How a curio is listed.
    enum Kind {
        None,
        Falling,
        Auction
    }

    /// @notice A listing. A falling price goes from `first` to `last` between `opens` and `closes`; an auction starts at
    /// `first` and `last` is its highest bid, zero before there is one.
    struct Listing {
        Kind kind;
        uint64 opens;
        uint64 closes;
        uint128 first;
        uint128 last;
        address bidder;
    }

    /// @notice Ether offered for a curio until some time (its last second included).
    struct Offer {
        uint128 amount;
        uint64 until;
    }

    /// @notice Percent by which a bid must be above the one before, at least; rounded up.
    uint256 public constant STEP = 5;
    /// @notice An auction goes on for at least this many seconds after every bid.
    uint256 public constant EXTENSION = 10 minutes;
    /// @notice Basis points of a price that the keeper can ask for at most.
    uint256 public constant MOST_FEE = 500;
    /// @notice Who gets the fees, and can halt the market.
    address public keeper;
    /// @notice The keeper's basis points.
    uint16 public fee = 250;
    /// @notice Whether new listings, bids, offers and purchases are refused.
    bool public halted;
    /// @notice The listings by curio.
    mapping(uint256 => Listing) public listings;
    /// @notice The offers by curio (first key) and account.
    mapping(uint256 => mapping(address => Offer)) public offers;
    /// @notice Wei that each account can collect.
    mapping(address => uint256) public due;
    /// @dev The price of each curio's last sale; read by no function.
    mapping(uint256 => uint256) private lastPrice;

    /// @notice A curio was listed; `last` is zero for auctions.
    event Listed(uint256 indexed id, Kind kind, uint128 first, uint128 last, uint64 closes);
    /// @notice A listing ended without a sale.
    event Unlisted(uint256 indexed id);
    /// @notice `bidder` bid `amount`; the auction now closes at `closes`.
    event Bid(uint256 indexed id, address indexed bidder, uint128 amount, uint64 closes);
    /// @notice A curio was sold for `price`, of which `royalty` and `cut` wei went to its maker and the keeper.
    event Sold(uint256 indexed id, address indexed seller, address indexed buyer, uint256 price, uint256 royalty, uint256 cut);
    /// @notice `account` offers `amount` wei; zero stands for an offer taken back.
    event Offered(uint256 indexed id, address indexed account, uint128 amount, uint64 until);
    /// @notice `account` collected `amount` wei.
    event Collected(address indexed account, uint256 amount);
    /// @notice The keeper's rules changed.
    event Ruled(uint16 fee, bool halted);

    /// @notice The caller is not the keeper.
    error NotKeeper();
    /// @notice The market is halted.
    error Halted();
    /// @notice The curio is not listed in the way that this needs, or listed when it must not be.
    error WrongListing(Kind kind);
    /// @notice The time for this has passed or is not yet.
    error WrongTime();
    /// @notice The ether sent, or found, is not enough.
    error TooLittle(uint256 wanted);
    /// @notice There is nothing to do this with.
    error Nothing();

    /// @notice Makes the deployer keeper.
    constructor() {
        keeper = msg.sender;
    }

    modifier whileRunning() {
        if (halted) revert Halted();
        _;
    }

    /// @notice Sets the fee and halts the market or lets it run again; only the keeper (NotKeeper).
    /// @dev Reverts with BadArgument above MOST_FEE. Emits Ruled.
    function rule(uint16 fee_, bool halted_) external {
        if (msg.sender != keeper) revert NotKeeper();
        if (fee_ > MOST_FEE) revert BadArgument();
        fee = fee_;
        halted = halted_;
        emit Ruled(fee_, halted_);
    }

    /// @notice Gives a curio away.
    /// @dev Only its owner (NotYours). Reverts with WrongListing while it is listed, with BadArgument for the zero address.
    function give(uint256 id, address to) external onlyOwnerOf(id) {
        if (listings[id].kind != Kind.None) revert WrongListing(listings[id].kind);
        if (to == address(0)) revert BadArgument();
        _move(id, to);
    }

    /// @notice Lists a curio, for `duration` seconds from now, at a price that falls from `first` to `last`.
    /// @dev Only its owner (NotYours), while not halted. Reverts with WrongListing when it is listed, and with BadArgument
    /// for a duration of zero or above 30 days, or unless first >= last > 0. Emits Listed.
    function listFalling(uint256 id, uint128 first, uint128 last, uint64 duration) external {
        if (last == 0 || first < last) revert BadArgument();
        _list(id, Kind.Falling, first, last, duration);
    }

    /// @notice Lists a curio for auction, for `duration` seconds from now; bids start at `least`.
    /// @dev As listFalling; BadArgument when `least` is zero.
    function listAuction(uint256 id, uint128 least, uint64 duration) external {
        if (least == 0) revert BadArgument();
        _list(id, Kind.Auction, least, 0, duration);
    }

    /// @notice Ends a listing without a sale.
    /// @dev Only the owner (NotYours). Reverts with WrongListing when it is not listed or there is a bid. Emits Unlisted.
    function cancel(uint256 id) external onlyOwnerOf(id) {
        Listing storage listing = listings[id];
        if (listing.kind == Kind.None || listing.bidder != address(0)) revert WrongListing(listing.kind);
        delete listings[id];
        emit Unlisted(id);
    }

    /// @notice Returns what a curio with a falling price costs now.
    /// @dev `first` less the part of the fall that the time since `opens` is of the whole, rounded down. Reverts with
    /// WrongListing for others and with WrongTime after `closes`.
    function priceOf(uint256 id) public view returns (uint256) {
        Listing storage listing = listings[id];
        if (listing.kind != Kind.Falling) revert WrongListing(listing.kind);
        if (block.timestamp > listing.closes) revert WrongTime();
        uint256 passed = block.timestamp - listing.opens;
        return listing.first - ((listing.first - listing.last) * passed) / (listing.closes - listing.opens);
    }

    /// @notice Buys a curio at its price; what was sent above it becomes due to the caller.
    /// @dev Reverts as priceOf does, when halted, and with TooLittle when less was sent. The owner can buy as well.
    function buy(uint256 id) external payable whileRunning {
        uint256 price = priceOf(id);
        if (msg.value < price) revert TooLittle(price);
        due[msg.sender] += msg.value - price;
        _sell(id, msg.sender, price);
    }

    /// @notice Bids the sent ether in an auction; the bid before becomes due to its bidder.
    /// @dev Reverts when halted, with WrongListing, with WrongTime after `closes`, and with TooLittle below `first` or,
    /// after a bid, below that bid and STEP percent of it. Emits Bid.
    function bid(uint256 id) external payable whileRunning {
        Listing storage listing = listings[id];
        if (listing.kind != Kind.Auction) revert WrongListing(listing.kind);
        if (block.timestamp > listing.closes) revert WrongTime();
        uint256 wanted = listing.first;
        if (listing.bidder != address(0)) {
            wanted = listing.last + (listing.last * STEP + 99) / 100;
            due[listing.bidder] += listing.last;
        }
        if (msg.value < wanted) revert TooLittle(wanted);
        listing.bidder = msg.sender;
        listing.last = uint128(msg.value);
        if (listing.closes < block.timestamp + EXTENSION) listing.closes = uint64(block.timestamp + EXTENSION);
        emit Bid(id, msg.sender, listing.last, listing.closes);
    }

    /// @notice Gives the curio of a closed auction to the highest bidder. Anybody may call it, also while halted.
    /// @dev Reverts with WrongListing, with WrongTime up to `closes`, and with Nothing when nobody bid.
    function settle(uint256 id) external {
        Listing storage listing = listings[id];
        if (listing.kind != Kind.Auction) revert WrongListing(listing.kind);
        if (block.timestamp <= listing.closes) revert WrongTime();
        if (listing.bidder == address(0)) revert Nothing();
        _sell(id, listing.bidder, listing.last);
    }

    /// @notice Offers the sent ether for a curio until `until`; an earlier offer of the caller becomes due again.
    /// @dev Reverts when halted, with Nothing when there is no such curio or no ether, with WrongTime unless `until` is
    /// ahead. Emits Offered.
    function offer(uint256 id, uint64 until) external payable whileRunning {
        if (msg.value == 0 || id == 0 || id > curioCount) revert Nothing();
        if (until <= block.timestamp) revert WrongTime();
        due[msg.sender] += offers[id][msg.sender].amount;
        offers[id][msg.sender] = Offer(uint128(msg.value), until);
        emit Offered(id, msg.sender, uint128(msg.value), until);
    }

    /// @notice Takes the caller's offer back, expired or not; its ether becomes due.
    /// @dev Reverts with Nothing when there is none. Emits Offered with zeros.
    function retract(uint256 id) external {
        uint256 amount = offers[id][msg.sender].amount;
        if (amount == 0) revert Nothing();
        delete offers[id][msg.sender];
        due[msg.sender] += amount;
        emit Offered(id, msg.sender, 0, 0);
    }

    /// @notice Takes the offer of `from` for a curio, which must not be listed.
    /// @dev Only its owner (NotYours), while not halted. Reverts with WrongListing, with TooLittle when there is no offer
    /// or less than `least`, and with WrongTime when it has expired.
    function accept(uint256 id, address from, uint128 least) external whileRunning onlyOwnerOf(id) {
        if (listings[id].kind != Kind.None) revert WrongListing(listings[id].kind);
        Offer memory found = offers[id][from];
        if (found.amount == 0 || found.amount < least) revert TooLittle(least);
        if (found.until < block.timestamp) revert WrongTime();
        delete offers[id][from];
        _sell(id, from, found.amount);
    }

    /// @notice Sends the caller what is due. Reverts with Nothing when that is nothing. Emits Collected.
    /// @return amount The wei sent.
    function collect() external returns (uint256 amount) {
        amount = due[msg.sender];
        if (amount == 0) revert Nothing();
        due[msg.sender] = 0;
        emit Collected(msg.sender, amount);
        (bool taken, ) = msg.sender.call{value: amount}("");
        if (!taken) revert Nothing();
    }

    /// @dev Writes a listing, under the conditions that listFalling and listAuction share. Emits Listed.
    function _list(uint256 id, Kind kind, uint128 first, uint128 last, uint64 duration) private whileRunning onlyOwnerOf(id) {
        if (listings[id].kind != Kind.None) revert WrongListing(listings[id].kind);
        if (duration == 0 || duration > 30 days) revert BadArgument();
        uint64 opens = uint64(block.timestamp);
        listings[id] = Listing(kind, opens, opens + duration, first, last, address(0));
        emit Listed(id, kind, first, last, opens + duration);
    }

    /// @dev Splits `price` into the maker's royalty and the keeper's fee, both rounded down, and the rest for the owner;
    /// a maker who sells gets no royalty apart. Ends the listing, notes the price and emits Moved, then Sold.
    function _sell(uint256 id, address buyer, uint256 price) private {
        Curio memory curio = curios[id];
        uint256 royalty = curio.owner == curio.maker ? 0 : (price * curio.royalty) / 10000;
        uint256 cut = (price * fee) / 10000;
        due[curio.maker] += royalty;
        due[keeper] += cut;
        due[curio.owner] += price - royalty - cut;
        lastPrice[id] = price;
        delete listings[id];
        _move(id, buyer);
        emit Sold(id, curio.owner, buyer, price, royalty, cut);
    }
}
