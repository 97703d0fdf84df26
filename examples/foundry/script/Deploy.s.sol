// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {Lock} from "../src/Lock.sol";
import {vm} from "../test/Vm.sol";

/// Locks 5 AVAX of the account that sends it for a year.
contract Deploy {
    function run() external {
        vm.startBroadcast();
        new Lock{value: 5 ether}(block.timestamp + 365 days);
        vm.stopBroadcast();
    }
}
