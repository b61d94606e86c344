
contract Handler is Beside {
    Vm private constant vm = Vm(address(uint160(uint256(keccak256("hevm cheat code")))));
    address private constant DEPLOYER = address(/*<DEPLOYER>*/);

    uint256 private constant RICH = /*<RICH>*/;
    bytes private constant LIBRARIES = hex"/*<LIBRARIES>*/";

    /// Where their code lies.
    uint160 private libraries;
    uint256 private number;
    uint256 private time;

    /// What is particular to a candidate lies on the node that is forked, and where it lies is told by the environment
    /// alone: no code can look it up.
    function deploy() external {
        require(original == address(0));
        uint256 secret = vm.envUint("SOLEXP_SECRET");
        uint160 place = uint160(secret);
        uint64 nonce = uint64(secret >> 194);
        vm.roll(/*<NUMBER>*/);
        vm.warp(/*<TIME>*/);
        // Nobody but the test and this contract may have cheat codes.
        address probe = this.make(type(Probe).creationCode, nonce, 0);
        vm.prank(DEPLOYER, DEPLOYER);
        require(!Probe(probe).cheats(), "CHEATS: the code under test could call cheat codes");
        libraries = place + 3;
        _link(0);
        original = this.make{gas: /*<DEPLOYMENT_GAS>*/}(_laid(place), nonce + 1, /*<VALUE>*/);
        require(original != address(0), "ORIGINAL: it is not deployed");
        _link(1);
        candidate = this.make{gas: /*<DEPLOYMENT_GAS>*/}(_laid(place + 1), nonce + 2, /*<VALUE>*/);
        require(candidate != address(0), "CANDIDATE: it is not deployed");
        leftOut = uint256(bytes32(_laid(place + 2)));
        number = /*<NUMBER>*/ + 1;
        time = /*<TIME>*/ + /*<BLOCK_S>*/;
        _ready();
    }

    /// From an account that has no cheat codes, which the new contract then has not either.
    function make(bytes memory code, uint64 nonce, uint256 value) external returns (address made) {
        require(msg.sender == address(this));
        vm.deal(DEPLOYER, RICH + value);
        vm.setNonce(DEPLOYER, nonce);
        vm.prank(DEPLOYER, DEPLOYER);
        assembly {
            made := create(value, add(code, 32), mload(code))
        }
    }

    function _laid(uint160 place) private view returns (bytes memory code) {
        uint256 size = address(place).code.length;
        code = new bytes(size - 1);
        assembly {
            extcodecopy(place, add(code, 32), 1, sub(size, 1))
        }
    }

    /// Puts the libraries of the one or the other in their places.
    function _link(uint160 which) private {
        bytes memory places = LIBRARIES;
        for (uint160 i = 0; i < places.length / 20; i++) {
            vm.etch(address(bytes20(_at(places, 20, i))), _laid(libraries + 2 * i + which));
        }
    }

    function _begin() internal override {
        uint256 drawn = uint256(keccak256(abi.encodePacked(msg.data, msg.sender)));
        if (drawn % /*<RESTLESS>*/ == 0) _pass(drawn >> 8);
        vm.roll(number);
        vm.warp(time);
    }

    function _pass(uint256 drawn) private {
        uint256 pause = _pauses(drawn);
        time += pause;
        number += 1 + pause / /*<BLOCK_S>*/;
    }

    function _now() internal view override returns (uint256) {
        return time;
    }

    function pass(uint256 drawn) external {
        _idle();
        _pass(drawn);
    }

    function _send(address to, uint256 value, bytes memory data) internal override returns (Done memory done) {
        if (LIBRARIES.length > 0) _link(to == original ? 0 : 1);
        vm.deal(msg.sender, RICH + value);
        if (/*<EVENTS>*/) vm.recordLogs();
        vm.prank(msg.sender, msg.sender);
        uint256 left = gasleft();
        (done.ok, done.out) = to.call{value: value, gas: GAS}(data);
        done.used = left - gasleft();
        if (/*<EVENTS>*/) done.told = vm.getRecordedLogs();
    }

    /// Numbers and addresses worth trying.
    function worth() external pure returns (uint256 sum) {
        unchecked {
/*<WORTH>*/
        }
    }

/*<ENTRIES>*/
}

contract Probe {
    Vm private constant vm = Vm(address(uint160(uint256(keccak256("hevm cheat code")))));
    bool private first = _cheats();

    function cheats() external returns (bool) {
        return first || _cheats();
    }

    function _cheats() private returns (bool) {
        (bool ok,) = address(vm).call(abi.encodeCall(Vm.deal, (address(this), 7)));
        return ok && address(this).balance == 7;
    }
}

contract BesideTest {
    struct Functions {
        address addr;
        bytes4[] selectors;
    }

    Handler private handler;

    function setUp() external {
        require(address(handler) == address(0));
        handler = new Handler();
        handler.deploy();
    }

    function targetContracts() external view returns (address[] memory these) {
        these = new address[](1);
        these[0] = address(handler);
    }

    function targetSelectors() external view returns (Functions[] memory these) {
        bytes memory packed = hex"/*<SELECTORS>*/";
        these = new Functions[](1);
        these[0].addr = address(handler);
        these[0].selectors = new bytes4[](packed.length / 4);
        for (uint256 i = 0; i < packed.length; i += 4) {
            bytes32 word;
            assembly {
                word := mload(add(add(packed, 32), i))
            }
            these[0].selectors[i / 4] = bytes4(word);
        }
    }

    function targetSenders() external pure returns (address[] memory these) {
        bytes memory packed = hex"/*<SENDERS>*/";
        these = new address[](packed.length / 20);
        for (uint256 i = 0; i < packed.length; i += 20) {
            bytes32 word;
            assembly {
                word := mload(add(add(packed, 32), i))
            }
            these[i / 20] = address(bytes20(word));
        }
    }

    function invariant_same() external view {
        require(!handler.differs(), "they differ");
    }
}

interface Vm {
    function deal(address, uint256) external;
    function etch(address, bytes calldata) external;
    function envUint(string calldata) external view returns (uint256);
    function getRecordedLogs() external returns (Beside.Told[] memory);
    function prank(address, address) external;
    function recordLogs() external;
    function roll(uint256) external;
    function setNonce(address, uint64) external;
    function warp(uint256) external;
}
