// SPDX-License-Identifier: UNLICENSED
pragma solidity >=0.8.12;

/// The same calls of an original and of a candidate, and whether the two ever did something else.
abstract contract Beside {
    struct Told {
        bytes32[] topics;
        bytes data;
        address emitter;
    }

    struct Done {
        bool ok;
        bytes out;
        uint256 used;
        Told[] told;
    }

    bytes internal constant PAUSES = hex"/*<PAUSES>*/";
    bytes internal constant ACCOUNTS = hex"/*<ACCOUNTS>*/";
    bytes private constant NUMBERS = hex"/*<NUMBERS>*/";
    uint256 internal constant GAS = /*<GAS>*/;
    uint256 internal constant MOST_WEI = (1 << 79) - 1;

    address internal original;
    address internal candidate;
    /// Bits of the functions that are not called.
    uint256 internal leftOut;
    bool public differs;
    /// Until all is deployed, too: code under test could call this contract.
    bool private busy = true;

    function _send(address to, uint256 value, bytes memory data) internal virtual returns (Done memory);

    /// Called first of all by each function.
    function _begin() internal virtual;

    /// Fails where the original's call does and the candidate's too: then all is as if it had not been made.
    function _both(uint256 place, uint256 value, bytes memory data) internal {
        require(!busy);
        if (differs) return;
        require((leftOut >> place) & 1 == 0);
        busy = true;
        _begin();
        Done memory want = _send(original, value, data);
        // A candidate may need less.
        require(want.ok || want.used < GAS);
        Done memory got = _send(candidate, value, data);
        require(got.ok || got.used < GAS || want.used * 10 <= GAS);
        differs = _unlike(want, got);
        require(differs || want.ok);
        busy = false;
    }

    function _ready() internal {
        busy = false;
    }

    function _idle() internal view {
        require(!busy);
    }

    /// What takes no ether should say so.
    function _dust() internal pure returns (uint256) {
        return uint256(keccak256(msg.data)) % /*<DUST>*/ == 0 ? 1 : 0;
    }

    /// An amount of ether that an engine has drawn, as one more worth trying.
    function _wei(uint256 drawn) internal view returns (uint256) {
        return _number(drawn, uint256(keccak256(abi.encodePacked(drawn, uint256(255))))) & MOST_WEI;
    }

    /// Arguments that an engine has drawn, as ones more worth trying; each byte of `kinds` is about one word of them.
    /// Whoever reads the engine's calls does the same.
    function _tuned(bytes memory data, bytes memory kinds) internal view returns (bytes memory) {
        for (uint256 i = 0; i < kinds.length; i++) {
            uint256 kind = uint8(kinds[i]);
            uint256 word;
            assembly {
                word := mload(add(add(data, 36), mul(32, i)))
            }
            uint256 drawn = uint256(keccak256(abi.encodePacked(word, i)));
            if (kind == 255 && drawn % 4 != 0) {
                word = _acting(uint160(bytes20(_at(ACCOUNTS, 20, drawn >> 8))));
            } else if (kind > 0 && kind <= 32) {
                word = _number(word, drawn) & (type(uint256).max >> (256 - 8 * kind));
            }
            assembly {
                mstore(add(add(data, 36), mul(32, i)), word)
            }
        }
        return data;
    }

    function _number(uint256 word, uint256 drawn) private view returns (uint256) {
        uint256 more = drawn >> 8;
        unchecked {
            if (drawn % 8 == 2) return word % (1 << (more % 65));
            if (drawn % 8 == 3) return more % 8;
            if (drawn % 8 == 4) return more % 1024;
            if (drawn % 8 == 5) return uint256(_at(NUMBERS, 32, more));
            if (drawn % 8 == 6) return uint256(_at(NUMBERS, 32, more)) + (drawn >> 128) % 3 - 1;
            if (drawn % 8 == 7) return _now() + _pauses(more);
        }
        return word;
    }

    /// Who stands for an account.
    function _acting(uint256 account) internal view virtual returns (uint256) {
        return account;
    }

    function _now() internal view virtual returns (uint256) {
        return block.timestamp;
    }

    function _pauses(uint256 drawn) internal pure returns (uint256) {
        return uint64(bytes8(_at(PAUSES, 8, drawn)));
    }

    /// One of the pieces of so many bytes.
    function _at(bytes memory pieces, uint256 size, uint256 drawn) internal pure returns (bytes32 piece) {
        drawn %= pieces.length / size;
        assembly {
            piece := mload(add(add(pieces, 32), mul(size, drawn)))
        }
    }

    function _unlike(Done memory want, Done memory got) private view returns (bool) {
        if (want.ok != got.ok) return /*<STATUS>*/;
        if (!want.ok) return /*<REVERT>*/ && !_same(want.out, got.out);
        if (/*<RETURN>*/ && !_same(want.out, got.out)) return true;
        if (want.told.length != got.told.length) return true;
        for (uint256 i = 0; i < want.told.length; i++) {
            Told memory one = want.told[i];
            Told memory other = got.told[i];
            if (!_word(uint160(one.emitter), uint160(other.emitter))) return true;
            if (one.topics.length != other.topics.length || !_same(one.data, other.data)) return true;
            for (uint256 j = 0; j < one.topics.length; j++) {
                if (!_word(uint256(one.topics[j]), uint256(other.topics[j]))) return true;
            }
        }
        return false;
    }

    /// The same, but that each may name itself.
    function _same(bytes memory one, bytes memory other) private view returns (bool) {
        if (keccak256(one) == keccak256(other)) return true;
        if (one.length != other.length) return false;
        // Behind a selector in the data of a revert.
        uint256 at = one.length % 32;
        for (uint256 i = 0; i < at; i++) if (one[i] != other[i]) return false;
        for (; at < one.length; at += 32) {
            uint256 first;
            uint256 second;
            assembly {
                first := mload(add(add(one, 32), at))
                second := mload(add(add(other, 32), at))
            }
            if (!_word(first, second)) return false;
        }
        return true;
    }

    function _word(uint256 one, uint256 other) private view returns (bool) {
        return one == other || (one == uint160(original) && other == uint160(candidate));
    }
}
