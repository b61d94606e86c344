// SPDX-License-Identifier: MIT
pragma solidity >=0.6.8 <0.7.0;

/// @title Arithmetic that reverts instead of wrapping
library Sure {
    function plus(uint256 a, uint256 b) internal pure returns (uint256 c) {
        c = a + b;
        require(c >= a, "too large");
    }

    function minus(uint256 a, uint256 b) internal pure returns (uint256) {
        require(b <= a, "too small");
        return a - b;
    }

    /// @notice Returns `a * b / c`, rounded down.
    function part(uint256 a, uint256 b, uint256 c) internal pure returns (uint256) {
        uint256 product = a * b;
        require(a == 0 || product / a == b, "too large");
        require(c > 0, "no whole");
        return product / c;
    }

    /// @notice Returns `a * b / c`, rounded up.
    function partUp(uint256 a, uint256 b, uint256 c) internal pure returns (uint256) {
        uint256 down = part(a, b, c);
        return a == 0 || (a * b) % c == 0 ? down : down + 1;
    }
}

/// @title The money that the bank lends
abstract contract Tiles {
    using Sure for uint256;

    /// @notice Tiles of each account.
    mapping(address => uint256) public tiles;

    event TilesMoved(address indexed from, address indexed to, uint256 amount);

    constructor(uint256 supply) internal {
        tiles[msg.sender] = supply;
        emit TilesMoved(address(0), msg.sender, supply);
    }

    /// @notice Sends `amount` tiles of the caller to `to`.
    function sendTiles(address to, uint256 amount) external {
        require(to != address(this), "not to the bank");
        moveTiles(msg.sender, to, amount);
    }

    function moveTiles(address from, address to, uint256 amount) internal {
        tiles[from] = tiles[from].minus(amount);
        tiles[to] = tiles[to].plus(amount);
        emit TilesMoved(from, to, amount);
    }
}

/// @title Who looks after a bank, and who says what ether is worth
contract Kept {
    /// @notice Who sets rules and takes the reserve.
    address public warden;
    /// @notice Who sets the price.
    address public assessor;
    /// @notice Tiles for one ether; zero before the first price.
    uint256 public price;

    event PriceSet(uint256 price);

    constructor(address assessor_) internal {
        warden = msg.sender;
        assessor = assessor_;
    }

    modifier onlyWarden() {
        require(msg.sender == warden, "warden only");
        _;
    }

    /// @notice Sets the price, which is at most halved or doubled at a time. Only the assessor.
    function setPrice(uint256 price_) external {
        require(msg.sender == assessor, "assessor only");
        require(price_ > 0 && (price == 0 || (price_ >= price / 2 && price_ <= price * 2)), "bad price");
        price = price_;
        emit PriceSet(price_);
    }
}

/// @title Kiln bank: lends tiles against ether
/// @notice Lenders put tiles in and share the interest. Borrowers pledge ether and borrow tiles; debts grow with every
/// block. When a debt is too high for the pledge, anybody can pay part of it and gets ether at a discount.
/// @dev Debts are kept as parts of the whole debt and shares as parts of the whole stock, so that interest need not be
/// booked for each account.
contract KilnBank is Tiles, Kept {
    using Sure for uint256;

    /// @notice What an account has pledged in wei, and its parts of the whole debt.
    struct Loan {
        uint256 pledged;
        uint256 parts;
    }

    /// @notice The unit of `rate`.
    uint256 public constant SCALE = 1e12;
    /// @notice The highest rate.
    uint256 public constant MOST_RATE = 1e8;
    /// @notice Percent of a pledge's worth that can be borrowed.
    uint256 public constant LOAN = 70;
    /// @notice A debt above this many percent of the pledge's worth can be called in.
    uint256 public constant LIMIT = 80;
    /// @notice Percent of the price of ether that whoever calls in gets for what is paid.
    uint256 public constant REWARD = 110;
    /// @notice Percent of the interest that goes to the reserve; rounded down.
    uint256 public constant KEPT = 10;
    /// @notice Interest per block, in parts of SCALE.
    uint256 public rate;
    /// @notice Block up to which interest is booked.
    uint256 public bookedAt;
    /// @notice Tiles owed by all borrowers at `bookedAt`.
    uint256 public totalDebt;
    /// @notice Parts of the whole debt.
    uint256 public totalParts;
    /// @notice Shares of lenders.
    uint256 public totalShares;
    /// @notice Tiles kept for the warden.
    uint256 public reserve;
    /// @notice Whether borrowing is suspended.
    bool public frozen;
    /// @notice Shares of each lender.
    mapping(address => uint256) public sharesOf;
    /// @notice The loans.
    mapping(address => Loan) public loans;
    /// @dev Wei taken from each borrower by calling in; read by no function.
    mapping(address => uint256) private lost;

    /// @notice Interest was booked.
    event Booked(uint256 interest, uint256 totalDebt);
    /// @notice `account` put tiles in, or took them out.
    event Lent(address indexed account, uint256 amount, uint256 shares);
    event Withdrawn(address indexed account, uint256 amount, uint256 shares);
    /// @notice The pledge of `account` is now `pledged` wei.
    event Pledged(address indexed account, uint256 pledged);
    /// @notice `account` borrowed `amount`, or `payer` paid `amount` back for it.
    event Borrowed(address indexed account, uint256 amount);
    event Repaid(address indexed account, address indexed payer, uint256 amount);
    /// @notice `caller` paid `amount` of the debt of `account` for `seized` wei.
    event CalledIn(address indexed account, address indexed caller, uint256 amount, uint256 seized);
    /// @notice The warden's rules changed.
    event Ruled(uint256 rate, bool frozen);

    /// @notice Makes `supply` tiles for the deployer, who is the warden.
    constructor(uint256 supply, uint256 rate_, address assessor_) public Tiles(supply) Kept(assessor_) {
        require(rate_ <= MOST_RATE, "bad rate");
        rate = rate_;
        bookedAt = block.number;
    }

    /// @notice Sets the rate from now on, and suspends borrowing or allows it; only the warden.
    /// @dev Books interest first. Reverts with "bad rate" above MOST_RATE. Emits Ruled.
    function rule(uint256 rate_, bool frozen_) external onlyWarden {
        require(rate_ <= MOST_RATE, "bad rate");
        book();
        rate = rate_;
        frozen = frozen_;
        emit Ruled(rate_, frozen_);
    }

    /// @notice Returns the tiles that lenders own: those in the bank and those lent, less the reserve, as booked.
    function stock() public view returns (uint256) {
        return tiles[address(this)].plus(totalDebt).minus(reserve);
    }

    /// @notice Returns what `account` owes as booked; rounded up.
    function debtOf(address account) public view returns (uint256) {
        return totalParts == 0 ? 0 : loans[account].parts.partUp(totalDebt, totalParts);
    }

    /// @notice Returns `percent` percent of what the pledge of `account` is worth in tiles; rounded down.
    function worth(address account, uint256 percent) public view returns (uint256) {
        return loans[account].pledged.part(price, 1 ether).part(percent, 100);
    }

    /// @notice Books the interest of the blocks since `bookedAt`: totalDebt times rate a block, not compounded in between.
    /// @dev Rounded down; KEPT percent of it goes to the reserve. Emits Booked when there is any.
    function book() public {
        uint256 interest = totalDebt.part(rate * (block.number - bookedAt), SCALE);
        bookedAt = block.number;
        if (interest > 0) {
            totalDebt = totalDebt.plus(interest);
            reserve = reserve.plus(interest.part(KEPT, 100));
            emit Booked(interest, totalDebt);
        }
    }

    /// @notice Puts `amount` tiles of the caller in.
    /// @dev Books interest first. Shares are in proportion to the stock, rounded down; as many as tiles while there are
    /// none. Reverts with "nothing" when that is zero, and when the caller has too few tiles. Emits Lent.
    /// @return shares The caller's new shares.
    function lend(uint256 amount) external returns (uint256 shares) {
        book();
        shares = totalShares == 0 ? amount : amount.part(totalShares, stock());
        require(shares > 0, "nothing");
        moveTiles(msg.sender, address(this), amount);
        totalShares = totalShares.plus(shares);
        sharesOf[msg.sender] = sharesOf[msg.sender].plus(shares);
        emit Lent(msg.sender, amount, shares);
    }

    /// @notice Gives `shares` back for their part of the stock, rounded down.
    /// @dev Books interest first. Reverts with "nothing" when that is zero, with "lent out" when the bank has fewer tiles
    /// apart from the reserve, and when the caller has fewer shares. Emits Withdrawn.
    /// @return amount The tiles.
    function withdraw(uint256 shares) external returns (uint256 amount) {
        book();
        amount = shares.part(stock(), totalShares);
        require(amount > 0, "nothing");
        require(amount.plus(reserve) <= tiles[address(this)], "lent out");
        sharesOf[msg.sender] = sharesOf[msg.sender].minus(shares);
        totalShares = totalShares.minus(shares);
        moveTiles(address(this), msg.sender, amount);
        emit Withdrawn(msg.sender, amount, shares);
    }

    /// @notice Adds the sent ether to the caller's pledge. Reverts with "nothing" without any. Emits Pledged.
    function pledge() external payable {
        require(msg.value > 0, "nothing");
        loans[msg.sender].pledged = loans[msg.sender].pledged.plus(msg.value);
        emit Pledged(msg.sender, loans[msg.sender].pledged);
    }

    /// @notice Sends `amount` wei of the caller's pledge back.
    /// @dev Books interest first. Reverts when the pledge is smaller, with "needed" when the debt would be above LOAN
    /// percent of what is left, and with "not taken". Emits Pledged.
    function redeem(uint256 amount) external {
        book();
        loans[msg.sender].pledged = loans[msg.sender].pledged.minus(amount);
        require(debtOf(msg.sender) <= worth(msg.sender, LOAN), "needed");
        emit Pledged(msg.sender, loans[msg.sender].pledged);
        (bool taken, ) = msg.sender.call{value: amount}("");
        require(taken, "not taken");
    }

    /// @notice Lends the caller `amount` tiles.
    /// @dev Books interest first. New parts are rounded up. Reverts with "frozen", with "nothing" for zero, with "lent
    /// out" when the bank has fewer tiles apart from the reserve, and with "too much" when the debt would be above LOAN
    /// percent of the pledge. Emits Borrowed.
    function borrow(uint256 amount) external {
        require(!frozen, "frozen");
        require(amount > 0, "nothing");
        book();
        require(amount.plus(reserve) <= tiles[address(this)], "lent out");
        uint256 parts = totalParts == 0 ? amount : amount.partUp(totalParts, totalDebt);
        Loan storage loan = loans[msg.sender];
        loan.parts = loan.parts.plus(parts);
        totalParts = totalParts.plus(parts);
        totalDebt = totalDebt.plus(amount);
        require(debtOf(msg.sender) <= worth(msg.sender, LOAN), "too much");
        moveTiles(address(this), msg.sender, amount);
        emit Borrowed(msg.sender, amount);
    }

    /// @notice Pays up to `amount` tiles of what `account` owes, with the caller's tiles.
    /// @dev Books interest first. Pays no more than the debt. Reverts with "nothing" when that is zero, and when the
    /// caller has too few tiles. Emits Repaid.
    /// @return paid The tiles paid.
    function repay(address account, uint256 amount) external returns (uint256 paid) {
        book();
        uint256 debt = debtOf(account);
        paid = amount < debt ? amount : debt;
        require(paid > 0, "nothing");
        settle(account, paid, debt);
        emit Repaid(account, msg.sender, paid);
    }

    /// @notice Pays `amount` tiles of a debt above LIMIT percent of its pledge and gets wei worth REWARD percent of them.
    /// @dev Books interest first. Reverts with "sound" when the debt is not above the limit, with "too much" for more
    /// than half of the debt (rounded up), with "nothing" when no wei come of it, when the pledge is smaller, and with
    /// "not taken". Emits CalledIn.
    function callIn(address account, uint256 amount) external {
        book();
        uint256 debt = debtOf(account);
        require(debt > worth(account, LIMIT), "sound");
        require(amount <= (debt + 1) / 2, "too much");
        uint256 seized = amount.part(1 ether, price).part(REWARD, 100);
        require(seized > 0, "nothing");
        settle(account, amount, debt);
        loans[account].pledged = loans[account].pledged.minus(seized);
        lost[account] = lost[account].plus(seized);
        emit CalledIn(account, msg.sender, amount, seized);
        (bool taken, ) = msg.sender.call{value: seized}("");
        require(taken, "not taken");
    }

    /// @notice Sends `amount` tiles of the reserve to `to`; only the warden.
    /// @dev Books interest first. Reverts when the reserve, or what the bank has, is smaller.
    function takeReserve(address to, uint256 amount) external onlyWarden {
        book();
        reserve = reserve.minus(amount);
        moveTiles(address(this), to, amount);
    }

    /// @dev Takes `paid` tiles of the caller for `debt`, all that `account` owes; parts are rounded down, and all of them
    /// end with the whole debt.
    function settle(address account, uint256 paid, uint256 debt) private {
        Loan storage loan = loans[account];
        uint256 parts = paid == debt ? loan.parts : paid.part(totalParts, totalDebt);
        loan.parts = loan.parts.minus(parts);
        totalParts = totalParts.minus(parts);
        totalDebt = paid < totalDebt && totalParts > 0 ? totalDebt - paid : 0;
        moveTiles(msg.sender, address(this), paid);
    }
}
