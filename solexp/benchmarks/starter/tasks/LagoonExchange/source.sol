// SPDX-License-Identifier: MIT
pragma solidity 0.7.6;

/// @title Numbers with checks
library Tide {
    function add(uint256 a, uint256 b) internal pure returns (uint256 c) {
        c = a + b;
        require(c >= a, "overflow");
    }

    function sub(uint256 a, uint256 b) internal pure returns (uint256) {
        require(b <= a, "underflow");
        return a - b;
    }

    function mul(uint256 a, uint256 b) internal pure returns (uint256 c) {
        c = a * b;
        require(a == 0 || c / a == b, "overflow");
    }

    /// @notice Returns the largest number whose square is not above `x`.
    function root(uint256 x) internal pure returns (uint256 y) {
        if (x == 0) {
            return 0;
        }
        uint256 next = x / 2 + 1;
        y = x;
        while (next < y) {
            y = next;
            next = (x / next + next) / 2;
        }
    }
}

/// @title A plain ledger of tokens
contract PearlLedger {
    using Tide for uint256;

    /// @notice Pearls held by each account.
    mapping(address => uint256) public pearls;

    /// @notice `amount` pearls went from `from` to `to`.
    event PearlsMoved(address indexed from, address indexed to, uint256 amount);

    constructor(uint256 supply) {
        pearls[msg.sender] = supply;
        emit PearlsMoved(address(0), msg.sender, supply);
    }

    /// @notice Sends `amount` pearls of the caller to `to`.
    function sendPearls(address to, uint256 amount) external {
        movePearls(msg.sender, to, amount);
    }

    function movePearls(
        address from,
        address to,
        uint256 amount
    ) internal {
        pearls[from] = pearls[from].sub(amount);
        pearls[to] = pearls[to].add(amount);
        emit PearlsMoved(from, to, amount);
    }
}

/// @title Lagoon exchange: pearls against ether on a constant product
/// @notice Providers put ether and pearls in together and own the pool by shares. Traders swap one for the other: the
/// product of the two reserves never falls. A part of what comes in is kept back as fee, in the pool.
/// @dev The pearls of the pool are held in the ledger by this contract's own address. The reserves are what was booked:
/// ether or pearls that arrive unasked do not count until somebody calls absorb.
contract LagoonExchange is PearlLedger {
    using Tide for uint256;

    /// @notice Fee in thousandths of what comes in.
    uint256 public constant FEE = 3;
    /// @notice Shares that the first provision leaves to nobody.
    uint256 public constant STUCK = 1000;
    /// @notice Booked wei.
    uint256 public etherReserve;
    /// @notice Booked pearls.
    uint256 public pearlReserve;
    /// @notice Shares in existence.
    uint256 public totalShares;
    /// @notice Shares of each provider.
    mapping(address => uint256) public shares;
    /// @notice Sum over time of the price of a pearl (wei, times 2^64) by the seconds it stood.
    uint256 public priceSum;
    /// @notice When priceSum was last brought up to date.
    uint256 public pricedAt;
    /// @notice Number of swaps so far.
    uint256 public swaps;
    /// @dev Whether a function that pays out is running.
    bool private busy;

    /// @notice `provider` put `weis` and `pearls` in for `shares`.
    event Provided(address indexed provider, uint256 weis, uint256 pearls, uint256 shares);
    /// @notice `provider` took `weis` and `pearls` out for `shares`.
    event Withdrew(address indexed provider, uint256 weis, uint256 pearls, uint256 shares);
    /// @notice `trader` paid `paid` and received `received`; `bought` tells whether it bought pearls with ether.
    event Swapped(address indexed trader, bool bought, uint256 paid, uint256 received);
    /// @notice The reserves after a change.
    event Reserves(uint256 etherReserve, uint256 pearlReserve);

    modifier inTime(uint256 deadline) {
        require(block.timestamp <= deadline, "too late");
        _;
    }

    modifier once() {
        require(!busy, "busy");
        busy = true;
        _;
        busy = false;
    }

    /// @notice Gives all pearls to the deployer; the pool is empty.
    /// @param supply Number of pearls.
    constructor(uint256 supply) PearlLedger(supply) {
        pricedAt = block.timestamp;
    }

    /// @notice Takes ether unasked; see absorb.
    receive() external payable {}

    /// @notice Returns what a swap of `paid` gives against the reserves `from` and `to`: the constant product formula
    /// after the fee, rounded down.
    /// @dev Reverts with "nothing" for zero and with "empty" when a reserve is zero.
    function quote(
        uint256 paid,
        uint256 from,
        uint256 to
    ) public pure returns (uint256) {
        require(paid > 0, "nothing");
        require(from > 0 && to > 0, "empty");
        uint256 counted = paid.mul(1000 - FEE);
        return counted.mul(to) / from.mul(1000).add(counted);
    }

    /// @notice Puts the sent ether in with as many pearls as keep the price, rounded up, but at most `most`.
    /// @dev The first provision takes exactly `most` pearls; its shares are the root of the product of both amounts less
    /// STUCK, which go to the zero address. Later shares are in proportion to the ether, rounded down. Reverts with
    /// "too late" after the deadline, with "nothing" for no ether, with "too many pearls" when more than `most` were
    /// needed, with "too few shares" when the caller would get fewer than `least` or none, and when the caller has too
    /// few pearls. Emits PearlsMoved, Provided (the caller's shares), then Reserves.
    /// @return got The caller's shares.
    function provide(
        uint256 most,
        uint256 least,
        uint256 deadline
    ) external payable inTime(deadline) once returns (uint256 got) {
        require(msg.value > 0, "nothing");
        note();
        uint256 amount;
        if (totalShares == 0) {
            amount = most;
            got = msg.value.mul(amount).root().sub(STUCK);
            shares[address(0)] = STUCK;
            totalShares = STUCK;
        } else {
            amount = msg.value.mul(pearlReserve).add(etherReserve - 1) / etherReserve;
            require(amount <= most, "too many pearls");
            got = msg.value.mul(totalShares) / etherReserve;
        }
        require(got > 0 && got >= least, "too few shares");
        totalShares = totalShares.add(got);
        shares[msg.sender] = shares[msg.sender].add(got);
        movePearls(msg.sender, address(this), amount);
        emit Provided(msg.sender, msg.value, amount, got);
        book(etherReserve.add(msg.value), pearlReserve.add(amount));
    }

    /// @notice Gives `given` shares back for their part of both reserves, rounded down.
    /// @dev Reverts with "too late", when the caller has fewer shares, with "too little" when less than `leastWeis` or
    /// `leastPearls` would come out, or nothing of either, and with "not taken" when the ether is refused. Emits
    /// PearlsMoved, Withdrew, then Reserves.
    function withdraw(
        uint256 given,
        uint256 leastWeis,
        uint256 leastPearls,
        uint256 deadline
    ) external inTime(deadline) once returns (uint256 weis, uint256 amount) {
        note();
        shares[msg.sender] = shares[msg.sender].sub(given);
        weis = given.mul(etherReserve) / totalShares;
        amount = given.mul(pearlReserve) / totalShares;
        require(weis > 0 && amount > 0, "too little");
        require(weis >= leastWeis && amount >= leastPearls, "too little");
        totalShares = totalShares.sub(given);
        movePearls(address(this), msg.sender, amount);
        emit Withdrew(msg.sender, weis, amount, given);
        book(etherReserve.sub(weis), pearlReserve.sub(amount));
        pay(msg.sender, weis);
    }

    /// @notice Buys pearls for the sent ether and gives them to `to`.
    /// @dev Reverts with "too late", as quote does, and with "too little" when fewer than `least` or none come out.
    /// Emits PearlsMoved, Swapped (the caller is the trader), then Reserves.
    /// @return received The pearls.
    function buyPearls(
        uint256 least,
        address to,
        uint256 deadline
    ) external payable inTime(deadline) once returns (uint256 received) {
        received = quote(msg.value, etherReserve, pearlReserve);
        require(received > 0 && received >= least, "too little");
        note();
        swaps += 1;
        movePearls(address(this), to, received);
        emit Swapped(msg.sender, true, msg.value, received);
        book(etherReserve.add(msg.value), pearlReserve.sub(received));
    }

    /// @notice Sells `paid` pearls of the caller and sends the ether to `to`.
    /// @dev Reverts with "too late", as quote does, with "too little" when less than `least` or nothing comes out, when
    /// the caller has too few pearls, and with "not taken". Emits PearlsMoved, Swapped, then Reserves.
    /// @return received The wei.
    function sellPearls(
        uint256 paid,
        uint256 least,
        address payable to,
        uint256 deadline
    ) external inTime(deadline) once returns (uint256 received) {
        received = quote(paid, pearlReserve, etherReserve);
        require(received > 0 && received >= least, "too little");
        note();
        swaps += 1;
        movePearls(msg.sender, address(this), paid);
        emit Swapped(msg.sender, false, paid, received);
        book(etherReserve.sub(received), pearlReserve.add(paid));
        pay(to, received);
    }

    /// @notice Books what has arrived unasked, for the benefit of all providers.
    /// @dev Reverts with "empty" while there are no shares and with "nothing" when nothing has arrived. Emits Reserves.
    function absorb() external once {
        require(totalShares > 0, "empty");
        uint256 weis = address(this).balance;
        uint256 amount = pearls[address(this)];
        require(weis > etherReserve || amount > pearlReserve, "nothing");
        note();
        book(weis, amount);
    }

    /// @dev Writes the reserves and emits Reserves.
    function book(uint256 weis, uint256 amount) private {
        etherReserve = weis;
        pearlReserve = amount;
        emit Reserves(weis, amount);
    }

    /// @dev Adds to priceSum the price before the change that is under way, for the seconds it stood; an empty pool has
    /// no price. Later changes at the same time add nothing.
    function note() private {
        uint256 time = block.timestamp - pricedAt;
        if (time > 0 && pearlReserve > 0) {
            priceSum = priceSum.add((etherReserve.mul(2**64) / pearlReserve).mul(time));
        }
        pricedAt = block.timestamp;
    }

    /// @dev Sends ether, and reverts with "not taken" when it is refused.
    function pay(address payable to, uint256 weis) private {
        (bool taken, ) = to.call{value: weis}("");
        require(taken, "not taken");
    }
}
