
/// An account that sends what it is told to.
contract Actor {
    address private immutable owner = msg.sender;

    receive() external payable {}

    function act(address to, uint256 gas, bytes calldata data)
        external
        payable
        returns (bool ok, bytes memory out, uint256 used)
    {
        require(msg.sender == owner);
        uint256 left = gasleft();
        (ok, out) = to.call{value: msg.value, gas: gas}(data);
        used = left - gasleft();
    }
}

/// Calls no cheat code, so that there need be none: it is the deployer itself, and has an actor for each other account.
contract Handler is Beside {
    Actor[] private actors;

    receive() external payable {}

    constructor() payable {
        for (uint256 i = 20; i < ACCOUNTS.length; i += 20) actors.push(new Actor());
        bytes memory given = hex"/*<ARGUMENTS>*/";
        for (uint256 i = 32; i <= given.length; i += 32) {
            uint256 word;
            assembly {
                word := mload(add(given, i))
            }
            word = _acting(word);
            assembly {
                mstore(add(given, i), word)
            }
        }
        original = _make(abi.encodePacked(hex"/*<ORIGINAL>*/", given));
        candidate = _make(abi.encodePacked(hex"/*<CANDIDATE>*/", given));
        _ready();
    }

    function property_same() external view returns (bool) {
        return !differs;
    }

    function _make(bytes memory code) private returns (address made) {
        assembly {
            made := create(/*<VALUE>*/, add(code, 32), mload(code))
        }
        require(made != address(0));
    }

    /// Who stands here for an account.
    function _acting(uint256 account) internal view override returns (uint256) {
        bytes memory accounts = ACCOUNTS;
        for (uint256 i = 0; i < accounts.length / 20; i++) {
            if (uint160(bytes20(_at(accounts, 20, i))) == account) {
                return uint160(i == 0 ? address(this) : address(actors[i - 1]));
            }
        }
        return account;
    }

    function _begin() internal override {}

    function _send(address to, uint256 value, bytes memory data) internal override returns (Done memory done) {
        address acting = address(uint160(_acting(uint160(msg.sender))));
        if (acting == msg.sender || acting == address(this)) {
            uint256 left = gasleft();
            (done.ok, done.out) = to.call{value: value, gas: GAS}(data);
            done.used = left - gasleft();
        } else {
            (done.ok, done.out, done.used) = Actor(payable(acting)).act{value: value}(to, GAS, data);
        }
    }

/*<ENTRIES>*/

    /// Numbers and addresses worth trying.
    function worth() external pure returns (uint256 sum) {
        unchecked {
/*<WORTH>*/
        }
    }
}
