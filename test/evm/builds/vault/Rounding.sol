// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

library Rounding {
    function down(uint256 value, uint256 step) external pure returns (uint256) {
        return value - (value % step);
    }
}
