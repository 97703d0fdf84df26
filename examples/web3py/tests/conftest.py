import os
from pathlib import Path

import pytest
from eth_account import Account
from vyper import compile_code
from web3 import Web3
from web3.middleware import SignAndSendRawMiddlewareBuilder

URL = os.environ.get("FIRN_URL", "http://127.0.0.1:9650")
MNEMONIC = "test test test test test test test test test test test junk"
YEAR = 365 * 24 * 60 * 60


@pytest.fixture(scope="session")
def url():
    return URL


@pytest.fixture(scope="session")
def accounts():
    """Two of the network's funded accounts."""
    Account.enable_unaudited_hdwallet_features()
    return [Account.from_mnemonic(MNEMONIC, account_path=f"m/44'/60'/0'/0/{index}") for index in range(2)]


@pytest.fixture(scope="session")
def w3(accounts):
    w3 = Web3(Web3.HTTPProvider(f"{URL}/ext/bc/C/rpc"))
    w3.middleware_onion.inject(SignAndSendRawMiddlewareBuilder.build(accounts), layer=0)
    w3.eth.default_account = accounts[0].address
    return w3


@pytest.fixture
def rpc(w3):
    """Calls methods for which web3.py has no function, such as those that move the clock."""

    def call(method, *params):
        answer = w3.provider.make_request(method, params)
        assert "error" not in answer, answer
        return answer["result"]

    return call


@pytest.fixture(autouse=True)
def isolation(rpc):
    """Each test finds the network as it was at first."""
    snapshot = rpc("evm_snapshot")
    yield
    rpc("evm_revert", snapshot)


@pytest.fixture
def lock(w3):
    source = (Path(__file__).parent.parent / "contracts" / "Lock.vy").read_text()
    compiled = compile_code(source, output_formats=["abi", "bytecode"])
    factory = w3.eth.contract(abi=compiled["abi"], bytecode=compiled["bytecode"])
    unlock_time = w3.eth.get_block("latest")["timestamp"] + YEAR
    transaction = factory.constructor(unlock_time).transact({"value": w3.to_wei(5, "ether")})
    receipt = w3.eth.wait_for_transaction_receipt(transaction)
    return w3.eth.contract(address=receipt["contractAddress"], abi=compiled["abi"])
