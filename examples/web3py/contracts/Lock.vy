# pragma version 0.4.3
# pragma evm-version cancun
"""
@title Holds AVAX that its owner can withdraw from a time on
@license Apache-2.0
"""

event Withdrawn:
    amount: uint256
    time: uint256

owner: public(immutable(address))
# Unix seconds
unlock_time: public(immutable(uint256))


@deploy
@payable
def __init__(time: uint256):
    owner = msg.sender
    unlock_time = time


@external
def withdraw():
    assert msg.sender == owner, "not the owner"
    assert block.timestamp >= unlock_time, "too early"
    log Withdrawn(amount=self.balance, time=block.timestamp)
    send(owner, self.balance)
