// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

/// Holds AVAX that its owner can withdraw from a time on.
contract Lock {
    address payable public immutable owner;
    /// Unix seconds
    uint256 public immutable unlockTime;

    event Withdrawn(uint256 amount, uint256 time);

    error NotOwner();
    error TooEarly(uint256 unlockTime);

    constructor(uint256 time) payable {
        owner = payable(msg.sender);
        unlockTime = time;
    }

    function withdraw() external {
        if (msg.sender != owner) revert NotOwner();
        if (block.timestamp < unlockTime) revert TooEarly(unlockTime);
        emit Withdrawn(address(this).balance, block.timestamp);
        (bool isPaid,) = owner.call{value: address(this).balance}("");
        require(isPaid);
    }
}
