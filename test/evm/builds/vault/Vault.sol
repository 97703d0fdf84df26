// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import {Owned} from "./Owned.sol";
import {Rounding} from "./Rounding.sol";

contract Vault is Owned {
    uint256 public immutable limit;
    mapping(address => uint256) public balances;

    event Deposited(address indexed from, uint256 value);

    error TooMuch(uint256 value, uint256 limit);

    constructor(uint256 limit_) {
        limit = limit_;
    }

    function deposit() external payable {
        if (msg.value > limit) revert TooMuch(msg.value, limit);
        balances[msg.sender] += Rounding.down(msg.value, 10);
        emit Deposited(msg.sender, msg.value);
    }
}
