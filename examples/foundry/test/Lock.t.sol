// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {Lock} from "../src/Lock.sol";
import {vm} from "./Vm.sol";

contract LockTest {
    Lock private lock;
    uint256 private unlockTime;

    receive() external payable {}

    function setUp() external {
        unlockTime = block.timestamp + 365 days;
        vm.deal(address(this), 10 ether);
        lock = new Lock{value: 5 ether}(unlockTime);
    }

    function test_OwnerWithdrawsOnceTheTimeHasCome() external {
        vm.warp(unlockTime);
        lock.withdraw();
        require(address(this).balance == 10 ether, "the owner has what was locked");
    }

    function testFuzz_OwnerWaits(uint256 time) external {
        vm.warp(time % unlockTime);
        vm.expectRevert(abi.encodeWithSelector(Lock.TooEarly.selector, unlockTime));
        lock.withdraw();
    }

    function test_OthersCannotWithdraw() external {
        vm.warp(unlockTime);
        vm.prank(address(0xB0B));
        vm.expectRevert(abi.encodeWithSelector(Lock.NotOwner.selector));
        lock.withdraw();
    }

    /// The state is that of the running network: its first account has what its genesis gave it.
    function test_AccountsOfTheNetworkAreFunded() external view {
        require(block.chainid == 43112, "the network's chain ID");
        require(0x8db97C7cEcE249c2b98bDC0226Cc4C2A57BF52FC.balance > 1_000_000 ether, "ewoq is rich");
    }
}
