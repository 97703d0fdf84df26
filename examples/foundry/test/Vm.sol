// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

/// The cheat codes that this project uses. After `forge install foundry-rs/forge-std`, `import {Test} from "forge-std/Test.sol"` has all of them.
interface Vm {
    function activeFork() external view returns (uint256);
    function deal(address account, uint256 newBalance) external;
    function expectRevert(bytes calldata revertData) external;
    function prank(address msgSender) external;
    function startBroadcast() external;
    function stopBroadcast() external;
    function warp(uint256 newTimestamp) external;
}

Vm constant vm = Vm(address(uint160(uint256(keccak256("hevm cheat code")))));
