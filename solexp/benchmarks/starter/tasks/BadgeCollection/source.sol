pragma solidity ^0.5.13;

/// @title Tells which interfaces a contract has
interface Inspectable {
    /// @notice Returns whether the contract has the interface with this identifier.
    function supportsInterface(bytes4 interfaceId) external view returns (bool);
}

/// @title Answered by contracts that take tokens
interface TokenTaker {
    /// @notice Must return this function's own selector, or the transfer is undone.
    function onERC721Received(
        address operator,
        address from,
        uint256 tokenId,
        bytes calldata data
    ) external returns (bytes4);
}

/// @title Roles of a collection
contract Curated {
    /// @notice Who names the issuers.
    address public curator;
    /// @notice Whether an account may issue and revoke.
    mapping(address => bool) public issuers;

    /// @notice `account` became issuer, or ceased to be one.
    event IssuerSet(address indexed account, bool value);

    constructor() internal {
        curator = msg.sender;
        issuers[msg.sender] = true;
        emit IssuerSet(msg.sender, true);
    }

    modifier onlyIssuer() {
        require(issuers[msg.sender], "issuers only");
        _;
    }

    /// @notice Makes `account` an issuer, or ends that.
    function setIssuer(address account, bool value) external {
        require(msg.sender == curator, "curator only");
        issuers[account] = value;
        emit IssuerSet(account, value);
    }
}

/// @title Lists of numbers from which any element can be taken
library Bag {
    /// @notice Takes out the element at `index`; the last element takes its place. Returns the element that moved, or
    /// the one taken out when that was the last.
    function pluck(uint256[] storage bag, uint256 index) internal returns (uint256 moved) {
        uint256 last = bag.length - 1;
        moved = bag[last];
        bag[index] = moved;
        bag.pop();
    }
}

/// @title Badge collection: an ERC721 token that lists its badges
/// @notice Issuers give badges of a kind to accounts. A badge can be handed on unless it is bound; its issuer can
/// revoke it. All badges, and those of each owner, can be listed by index.
contract BadgeCollection is Curated, Inspectable {
    using Bag for uint256[];

    /// @notice What a badge is.
    struct Badge {
        address issuer;
        uint64 issuedAt;
        bool bound;
        bytes12 kind;
    }

    /// @notice Name of the collection.
    string public constant name = "Guild badges";
    /// @notice Its short name.
    string public constant symbol = "BDG";
    /// @notice The identifier that the next badge gets; the first is 1.
    uint256 public nextId = 1;
    /// @notice The badge with this identifier; all zero when there is none.
    mapping(uint256 => Badge) public badges;
    /// @notice Number of badges of each kind.
    mapping(bytes12 => uint256) public countOf;
    /// @dev Owner of each badge; zero for those that do not exist.
    mapping(uint256 => address) private owners;
    /// @dev Who may hand a single badge on; zero for nobody.
    mapping(uint256 => address) private approvals;
    /// @dev Whether an owner (first key) lets an operator (second key) handle all badges.
    mapping(address => mapping(address => bool)) private operators;
    /// @dev All badges, in the order of issue as long as none is revoked.
    uint256[] private all;
    /// @dev Each badge's place in `all`.
    mapping(uint256 => uint256) private placeInAll;
    /// @dev The badges of each owner.
    mapping(address => uint256[]) private owned;
    /// @dev Each badge's place in its owner's list.
    mapping(uint256 => uint256) private placeInOwned;

    /// @notice Badge `tokenId` went from `from` to `to`; the zero address stands for issue and revocation.
    event Transfer(address indexed from, address indexed to, uint256 indexed tokenId);
    /// @notice `approved` may hand `tokenId` on.
    event Approval(address indexed owner, address indexed approved, uint256 indexed tokenId);
    /// @notice `operator` may handle all badges of `owner`, or no longer.
    event ApprovalForAll(address indexed owner, address indexed operator, bool approved);
    /// @notice A badge of this kind was issued.
    event Issued(address indexed issuer, uint256 indexed tokenId, bytes12 kind, bool bound);

    /// @notice Makes the deployer curator and issuer; there are no badges yet.
    constructor() public {}

    /// @notice Returns whether the contract has an interface: ERC165, ERC721 and its enumeration.
    /// @dev True for 0x01ffc9a7, 0x80ac58cd and 0x780e9d63, else false.
    function supportsInterface(bytes4 interfaceId) external view returns (bool) {
        return interfaceId == 0x01ffc9a7 || interfaceId == 0x80ac58cd || interfaceId == 0x780e9d63;
    }

    /// @notice Returns the number of badges.
    function totalSupply() external view returns (uint256) {
        return all.length;
    }

    /// @notice Returns the badge at `index` of all badges. Reverts with "no such index" at the end of the list.
    function tokenByIndex(uint256 index) external view returns (uint256) {
        require(index < all.length, "no such index");
        return all[index];
    }

    /// @notice Returns the badge at `index` of the badges of `owner`. Reverts with "no such index".
    function tokenOfOwnerByIndex(address owner, uint256 index) external view returns (uint256) {
        require(index < owned[owner].length, "no such index");
        return owned[owner][index];
    }

    /// @notice Returns the number of badges of `owner`. Reverts with "nobody" for the zero address.
    function balanceOf(address owner) external view returns (uint256) {
        require(owner != address(0), "nobody");
        return owned[owner].length;
    }

    /// @notice Returns the owner of a badge. Reverts with "no such badge".
    function ownerOf(uint256 tokenId) public view returns (address) {
        address owner = owners[tokenId];
        require(owner != address(0), "no such badge");
        return owner;
    }

    /// @notice Returns who may hand a single badge on. Reverts with "no such badge".
    function getApproved(uint256 tokenId) public view returns (address) {
        require(owners[tokenId] != address(0), "no such badge");
        return approvals[tokenId];
    }

    /// @notice Returns whether `operator` may handle all badges of `owner`.
    function isApprovedForAll(address owner, address operator) public view returns (bool) {
        return operators[owner][operator];
    }

    /// @notice Lets `approved` hand one badge on; the zero address takes that back.
    /// @dev The owner or an operator of the owner may do so, not somebody approved for the badge ("not allowed").
    /// Reverts with "to owner" for the owner, and with "no such badge". Emits Approval.
    function approve(address approved, uint256 tokenId) external {
        address owner = ownerOf(tokenId);
        require(approved != owner, "to owner");
        require(msg.sender == owner || operators[owner][msg.sender], "not allowed");
        approvals[tokenId] = approved;
        emit Approval(owner, approved, tokenId);
    }

    /// @notice Lets `operator` handle all badges of the caller, or ends that.
    /// @dev Reverts with "to owner" for the caller. Emits ApprovalForAll.
    function setApprovalForAll(address operator, bool approved) external {
        require(operator != msg.sender, "to owner");
        operators[msg.sender][operator] = approved;
        emit ApprovalForAll(msg.sender, operator, approved);
    }

    /// @notice Hands a badge on. See hand.
    function transferFrom(address from, address to, uint256 tokenId) public {
        hand(from, to, tokenId);
    }

    /// @notice Hands a badge on without data, and asks a receiving contract. See the other safeTransferFrom.
    function safeTransferFrom(address from, address to, uint256 tokenId) external {
        hand(from, to, tokenId);
        ask(from, to, tokenId, "");
    }

    /// @notice Hands a badge on; if `to` is a contract, it is asked whether it takes the badge.
    /// @dev Reverts under the conditions of hand, and with "not taken" when a contract does not answer
    /// onERC721Received (operator is the caller) with its selector.
    function safeTransferFrom(address from, address to, uint256 tokenId, bytes calldata data) external {
        hand(from, to, tokenId);
        ask(from, to, tokenId, data);
    }

    /// @notice Gives a new badge of `kind` to `to`.
    /// @dev Only issuers. Reverts with "nobody" for the zero address and with "no kind" for the kind zero. Notes issuer
    /// and time. Emits Transfer from the zero address, then Issued.
    /// @return The new badge's identifier.
    function issue(address to, bytes12 kind, bool bound) external onlyIssuer returns (uint256) {
        require(to != address(0), "nobody");
        require(kind != bytes12(0), "no kind");
        uint256 tokenId = nextId;
        nextId = tokenId + 1;
        badges[tokenId] = Badge(msg.sender, uint64(now), bound, kind);
        countOf[kind] += 1;
        placeInAll[tokenId] = all.length;
        all.push(tokenId);
        give(to, tokenId);
        emit Transfer(address(0), to, tokenId);
        emit Issued(msg.sender, tokenId, kind, bound);
        return tokenId;
    }

    /// @notice Revokes a badge; nothing of it is left, and the last badge takes its places in the lists.
    /// @dev Its issuer may do so while still an issuer, or the curator ("not allowed"). Reverts with "no such badge".
    /// Emits Transfer to the zero address.
    function revoke(uint256 tokenId) external {
        address owner = ownerOf(tokenId);
        Badge memory badge = badges[tokenId];
        require(
            msg.sender == curator || (msg.sender == badge.issuer && issuers[msg.sender]),
            "not allowed"
        );
        takeAway(owner, tokenId);
        uint256 place = placeInAll[tokenId];
        placeInAll[all.pluck(place)] = place;
        delete placeInAll[tokenId];
        delete owners[tokenId];
        delete badges[tokenId];
        countOf[badge.kind] -= 1;
        emit Transfer(owner, address(0), tokenId);
    }

    /// @dev Hands a badge on from its owner. Reverts with "no such badge", with "not the owner" when `from` is not its
    /// owner, with "not allowed" unless the caller is the owner, approved for it or an operator, with "nobody" for
    /// the zero address, and with "bound". The single approval ends. Emits Transfer.
    function hand(address from, address to, uint256 tokenId) private {
        address owner = ownerOf(tokenId);
        require(owner == from, "not the owner");
        require(
            msg.sender == owner ||
                approvals[tokenId] == msg.sender ||
                operators[owner][msg.sender],
            "not allowed"
        );
        require(to != address(0), "nobody");
        require(!badges[tokenId].bound, "bound");
        takeAway(from, tokenId);
        give(to, tokenId);
        emit Transfer(from, to, tokenId);
    }

    /// @dev Writes `to` as owner and puts the badge at the end of its list.
    function give(address to, uint256 tokenId) private {
        owners[tokenId] = to;
        placeInOwned[tokenId] = owned[to].length;
        owned[to].push(tokenId);
    }

    /// @dev Takes the badge from the list of `from`, whose last badge takes its place, and ends its approval. The owner
    /// stays written.
    function takeAway(address from, uint256 tokenId) private {
        delete approvals[tokenId];
        uint256 place = placeInOwned[tokenId];
        placeInOwned[owned[from].pluck(place)] = place;
        delete placeInOwned[tokenId];
    }

    /// @dev Asks a receiving contract; accounts without code need not be asked.
    function ask(address from, address to, uint256 tokenId, bytes memory data) private {
        uint256 size;
        assembly {
            size := extcodesize(to)
        }
        if (size > 0) {
            bytes4 answer = TokenTaker(to).onERC721Received(msg.sender, from, tokenId, data);
            require(answer == TokenTaker(to).onERC721Received.selector, "not taken");
        }
    }
}
