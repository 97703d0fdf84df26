import json
from urllib.request import urlopen

import pytest
from web3.exceptions import ContractLogicError

YEAR = 365 * 24 * 60 * 60
STRANGER = "0x00000000000000000000000000000000000B0b00"


def withdraw(w3, lock, **options):
    return w3.eth.wait_for_transaction_receipt(lock.functions.withdraw().transact(options))


def test_the_owner_waits_for_a_year(w3, rpc, lock):
    with pytest.raises(ContractLogicError, match="too early"):
        withdraw(w3, lock)

    rpc("evm_increaseTime", YEAR)
    withdraw(w3, lock)
    assert w3.eth.get_balance(lock.address) == 0


def test_the_event_has_the_time_that_the_next_block_was_given(w3, rpc, lock):
    unlock_time = lock.functions.unlock_time().call()
    rpc("evm_setNextBlockTimestamp", unlock_time)
    [event] = lock.events.Withdrawn().process_receipt(withdraw(w3, lock))
    assert event["args"] == {"amount": w3.to_wei(5, "ether"), "time": unlock_time}


def test_nobody_else_can_withdraw(w3, rpc, accounts, lock):
    rpc("evm_increaseTime", YEAR)
    rpc("hardhat_setBalance", STRANGER, hex(w3.to_wei(1, "ether")))
    rpc("hardhat_impersonateAccount", STRANGER)
    for account in [accounts[1].address, STRANGER]:
        with pytest.raises(ContractLogicError, match="not the owner"):
            withdraw(w3, lock, **{"from": account})


def test_what_it_did_is_in_the_data_api_at_once(w3, rpc, url, lock):
    rpc("evm_increaseTime", YEAR)
    receipt = withdraw(w3, lock)
    with urlopen(f"{url}/v1/chains/{w3.eth.chain_id}/transactions/{receipt['transactionHash'].to_0x_hex()}") as response:
        transaction = json.load(response)
    [payment] = [call for call in transaction["internalTransactions"] if call["from"]["address"] == lock.address]
    assert int(payment["value"]) == w3.to_wei(5, "ether")
