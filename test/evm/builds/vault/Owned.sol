// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

contract Owned {
    address public immutable owner;

    constructor() {
        owner = msg.sender;
    }
}
