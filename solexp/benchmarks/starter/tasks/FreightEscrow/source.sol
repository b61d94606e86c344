pragma solidity ^0.5.13;

/// @title Ether that is owed to accounts, who fetch it themselves
contract Purse {
    /// @notice Wei that each account can fetch.
    mapping(address => uint256) public owed;

    event Fetched(address indexed account, uint256 amount);

    /// @notice Sends the caller all that it is owed.
    function fetch() external {
        uint256 amount = owed[msg.sender];
        require(amount > 0, "nothing owed");
        owed[msg.sender] = 0;
        emit Fetched(msg.sender, amount);
        msg.sender.transfer(amount);
    }
}

/// @title Parts of an amount
library Parts {
    /// @notice Returns `percent` percent of `amount`, rounded down.
    function percentOf(uint256 amount, uint256 percent) internal pure returns (uint256) {
        require(amount <= uint256(-1) / 100, "too large");
        return (amount * percent) / 100;
    }
}

/// @title Freight escrow: holds the price of a shipment until the freight has arrived, or has not
/// @notice A buyer opens a deal, funds it, and inspects what the seller has delivered. Each step has a deadline, after
/// which the other side can go on alone. Buyer or seller can dispute a delivery; then the arbiter that the deal names
/// decides, for a fee. Money is booked as owed and fetched.
contract FreightEscrow is Purse {
    using Parts for uint256;

    /// @notice The stages of a deal.
    enum Stage { None, Created, Funded, Delivered, Released, Refunded, Disputed, Cancelled }

    /// @notice One deal.
    struct Deal {
        address buyer;
        address seller;
        address arbiter;
        Stage stage;
        uint256 price;
        uint256 deadline;
        bytes32 waybill;
    }

    /// @notice Seconds that a buyer has to fund a deal.
    uint256 public constant FUNDING_TIME = 2 days;
    /// @notice Seconds that a buyer has to inspect a delivery.
    uint256 public constant INSPECTION_TIME = 3 days;
    /// @notice Seconds that an arbiter has to decide.
    uint256 public constant RULING_TIME = 10 days;
    /// @notice The arbiter's fee, in percent of the price, rounded down.
    uint256 public constant FEE = 2;
    /// @notice Number of deals; they are numbered from 1.
    uint256 public dealCount;
    /// @notice Wei in deals that are funded and not over.
    uint256 public held;
    /// @notice The deals. The deadline is the last second of the present stage; deals that are over keep the last one.
    mapping(uint256 => Deal) public deals;
    /// @dev Seconds that each seller has to deliver, by deal.
    mapping(uint256 => uint256) private shippingTimes;
    /// @dev How many deliveries of each seller were disputed; read by no function.
    mapping(address => uint256) private disputes;

    /// @notice A deal was opened.
    event Opened(uint256 indexed id, address indexed buyer, address indexed seller, uint256 price);
    /// @notice A deal came to a stage, which lasts until `deadline`; stages in which a deal is over have none (0).
    event Moved(uint256 indexed id, Stage stage, uint256 deadline);
    /// @notice The seller says that the freight has arrived.
    event Shipped(uint256 indexed id, bytes32 waybill);
    /// @notice The arbiter decided for the seller, or for the buyer.
    event Ruled(uint256 indexed id, bool forSeller, uint256 fee);

    modifier at(uint256 id, Stage stage) {
        require(deals[id].stage == stage, "wrong stage");
        _;
    }

    /// @notice Opens a deal, which the caller has to fund within FUNDING_TIME.
    /// @dev Reverts with "bad parties" when seller or arbiter is the zero address or the caller, or they are one; with "no
    /// price" for a price of zero; with "bad time" for a shipping time of zero or more than 365 days. Emits Opened, Moved.
    /// @param seller Who delivers and is paid.
    /// @param arbiter Who decides disputes.
    /// @param price Wei.
    /// @param shippingTime Seconds that the seller has to deliver from the funding on.
    /// @return The deal's number.
    function open(address seller, address arbiter, uint256 price, uint256 shippingTime) external returns (uint256) {
        require(seller != address(0) && arbiter != address(0), "bad parties");
        require(seller != msg.sender && arbiter != msg.sender && seller != arbiter, "bad parties");
        require(price > 0, "no price");
        require(shippingTime > 0 && shippingTime <= 365 days, "bad time");
        dealCount += 1;
        deals[dealCount] = Deal(msg.sender, seller, arbiter, Stage.None, price, 0, 0);
        shippingTimes[dealCount] = shippingTime;
        emit Opened(dealCount, msg.sender, seller, price);
        move(dealCount, Stage.Created, FUNDING_TIME);
        return dealCount;
    }

    /// @notice Pays the price of a deal into the escrow.
    /// @dev Only Created deals ("wrong stage"), only the buyer ("buyer only"), within the deadline ("too late"), with the
    /// price exactly ("wrong price"). Emits Moved.
    function fund(uint256 id) external payable at(id, Stage.Created) {
        require(msg.sender == deals[id].buyer, "buyer only");
        require(now <= deals[id].deadline, "too late");
        require(msg.value == deals[id].price, "wrong price");
        held += msg.value;
        move(id, Stage.Funded, shippingTimes[id]);
    }

    /// @notice Gives up a deal that is not funded.
    /// @dev Only Created deals ("wrong stage"); buyer and seller at any time, others after the deadline ("too early").
    /// Emits Moved.
    function cancel(uint256 id) external at(id, Stage.Created) {
        Deal storage deal = deals[id];
        bool party = msg.sender == deal.buyer || msg.sender == deal.seller;
        require(party || now > deal.deadline, "too early");
        move(id, Stage.Cancelled, 0);
    }

    /// @notice Says that the freight has arrived.
    /// @dev Only Funded deals ("wrong stage"), only the seller ("seller only"), within the deadline ("too late"), with a
    /// waybill other than zero ("no waybill"). Emits Shipped, Moved.
    function deliver(uint256 id, bytes32 waybill) external at(id, Stage.Funded) {
        require(msg.sender == deals[id].seller, "seller only");
        require(now <= deals[id].deadline, "too late");
        require(waybill != 0, "no waybill");
        deals[id].waybill = waybill;
        emit Shipped(id, waybill);
        move(id, Stage.Delivered, INSPECTION_TIME);
    }

    /// @notice Pays the seller.
    /// @dev Only Delivered deals ("wrong stage"); the buyer at any time, the seller once the deadline has passed ("too
    /// early"), nobody else ("not a party"). Emits Moved.
    function release(uint256 id) external at(id, Stage.Delivered) {
        Deal storage deal = deals[id];
        require(msg.sender == deal.buyer || msg.sender == deal.seller, "not a party");
        require(msg.sender == deal.buyer || now > deal.deadline, "too early");
        settle(id, deal.seller, 0, Stage.Released);
    }

    /// @notice Gives the buyer its money back.
    /// @dev Only Funded deals ("wrong stage"); the seller at any time, the buyer once the deadline has passed ("too
    /// early"), nobody else ("not a party"). Emits Moved.
    function refund(uint256 id) external at(id, Stage.Funded) {
        Deal storage deal = deals[id];
        require(msg.sender == deal.buyer || msg.sender == deal.seller, "not a party");
        require(msg.sender == deal.seller || now > deal.deadline, "too early");
        settle(id, deal.buyer, 0, Stage.Refunded);
    }

    /// @notice Disputes a delivery.
    /// @dev Only Delivered deals ("wrong stage"), only buyer and seller ("not a party"), within the deadline ("too late").
    /// Emits Moved.
    function dispute(uint256 id) external at(id, Stage.Delivered) {
        Deal storage deal = deals[id];
        require(msg.sender == deal.buyer || msg.sender == deal.seller, "not a party");
        require(now <= deal.deadline, "too late");
        disputes[deal.seller] += 1;
        move(id, Stage.Disputed, RULING_TIME);
    }

    /// @notice Decides a dispute: the price less the fee goes to the seller or to the buyer, the fee to the caller.
    /// @dev Only Disputed deals ("wrong stage"), only the arbiter ("arbiter only"), within the deadline ("too late"). Emits
    /// Ruled, Moved.
    function rule(uint256 id, bool forSeller) external at(id, Stage.Disputed) {
        Deal storage deal = deals[id];
        require(msg.sender == deal.arbiter, "arbiter only");
        require(now <= deal.deadline, "too late");
        uint256 fee = deal.price.percentOf(FEE);
        emit Ruled(id, forSeller, fee);
        if (forSeller) {
            settle(id, deal.seller, fee, Stage.Released);
        } else {
            settle(id, deal.buyer, fee, Stage.Refunded);
        }
    }

    /// @notice Ends a dispute that its arbiter has not decided in time: the buyer gets its money back, without a fee.
    /// @dev Only Disputed deals ("wrong stage"), after the deadline ("too early"). Anybody may call it. Emits Moved.
    function lapse(uint256 id) external at(id, Stage.Disputed) {
        require(now > deals[id].deadline, "too early");
        settle(id, deals[id].buyer, 0, Stage.Refunded);
    }

    /// @dev Books the price less `fee` for `to` and the fee for the arbiter, and ends the deal. Emits Moved.
    function settle(uint256 id, address to, uint256 fee, Stage last) private {
        Deal storage deal = deals[id];
        held -= deal.price;
        owed[to] += deal.price - fee;
        owed[deal.arbiter] += fee;
        move(id, last, 0);
    }

    /// @dev Brings a deal to a stage that lasts `time` seconds; 0 keeps the last deadline. Emits Moved.
    function move(uint256 id, Stage stage, uint256 time) private {
        deals[id].stage = stage;
        if (time > 0) {
            deals[id].deadline = now + time;
        }
        emit Moved(id, stage, time > 0 ? now + time : 0);
    }
}
