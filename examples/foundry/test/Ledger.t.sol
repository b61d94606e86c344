// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

import {Ledger} from "../src/Ledger.sol";
import {Test} from "./Test.sol";

contract LedgerTest is Test {
    Ledger private ledger;

    function setUp() public {
        ledger = new Ledger();
    }

    function test_DepositTakesTheFee() public {
        assertEq(ledger.deposit{value: 10_000}(), 9_950);
        assertEq(ledger.balances(address(this)), 9_950);
        assertEq(ledger.fees(), 50);
    }

    function test_DepositOfNothingReverts() public {
        try ledger.deposit() {
            revert("did not revert");
        } catch (bytes memory reason) {
            require(bytes4(reason) == Ledger.Nothing.selector, "other error");
        }
    }

    function test_MoveToOne() public {
        ledger.deposit{value: 10_000}();
        ledger.move(address(1), 450);
        assertEq(ledger.balances(address(1)), 450);
        assertEq(ledger.balances(address(this)), 9_500);
    }

    function test_MoveToMany() public {
        ledger.deposit{value: 10_000}();
        address[] memory to = new address[](2);
        (to[0], to[1]) = (address(1), address(2));
        ledger.move(to, 100);
        assertEq(ledger.balances(address(1)), 100);
        assertEq(ledger.balances(address(2)), 100);
        assertEq(ledger.balances(address(this)), 9_750);
    }

    function test_MoveOfTooMuchReverts() public {
        vm.prank(address(7));
        try ledger.move(address(1), 1) {
            revert("did not revert");
        } catch (bytes memory reason) {
            require(bytes4(reason) == Ledger.TooMuch.selector, "other error");
        }
    }
}
