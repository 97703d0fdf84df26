"""
What a JSON Schema cannot say about the Data API's parameters, for requests that are meant to be right: texts with checksums (IDs, node IDs,
addresses) are taken from the server or are well formed at least, tokens come from pages, and rules that span parameters hold. Requests that
are meant to be wrong stay as Schemathesis made them.
"""

import hashlib
import json
import os
import random
from urllib.request import urlopen

from urllib.error import HTTPError

import schemathesis
from schemathesis import GenerationMode

URL = os.environ["FIRN_URL"]
PRIMARY_NETWORK = "11111111111111111111111111111111LpoYY"
ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"


def get_all(path):
    with urlopen(f"{URL}/v1/{path}") as response:
        return json.load(response)


def get(path):
    """Of the primary network; nothing where the server has only EVM chains."""
    try:
        return get_all(f"networks/fuji/{path}")
    except HTTPError as error:
        if error.code != 503:
            raise
        return {}


def cb58(payload):
    data = payload + hashlib.sha256(payload).digest()[-4:]
    number, text = int.from_bytes(data, "big"), ""
    while number:
        number, digit = divmod(number, 58)
        text = ALPHABET[digit] + text
    return "1" * (len(data) - len(data.lstrip(b"\0"))) + text


def walk(value, found):
    """Collects the texts of a JSON value by the name of their member."""
    if isinstance(value, dict):
        for name, member in value.items():
            walk_member(name, member, found)
    elif isinstance(value, list):
        for item in value:
            walk(item, found)


def walk_member(name, member, found):
    if isinstance(member, list) and all(isinstance(item, str) for item in member):
        found.setdefault(name, set()).update(member)
    elif isinstance(member, str):
        found.setdefault(name, set()).add(member)
    else:
        walk(member, found)


FOUND = {}
for chain in ["p-chain", "x-chain", "c-chain"]:
    for path in ["transactions?pageSize=100", "utxos?pageSize=100&includeSpent=true"]:
        walk(get(f"blockchains/{chain}/{path}"), FOUND)
for path in ["blocks?pageSize=100", "vertices?pageSize=100"]:
    walk(get(f"blockchains/{'p-chain' if path[0] == 'b' else 'x-chain'}/{path}"), FOUND)
for path in ["validators?pageSize=100", "subnets?pageSize=100", "blockchains?pageSize=100", "l1Validators?pageSize=100"]:
    walk(get(path), FOUND)

UNKNOWN_ID = cb58(bytes(range(32)))
UNKNOWN_NODE = "NodeID-" + cb58(bytes(range(20)))


def known(*names):
    return sorted(set().union(*(FOUND.get(name, set()) for name in names)))


IDS = {
    "subnetId": [*known("subnetId"), PRIMARY_NETWORK, UNKNOWN_ID],
    "assetId": [*known("assetId"), UNKNOWN_ID],
    "blockId": [*known("blockHash"), UNKNOWN_ID, "0x" + "00" * 32],
    "txHash": [*known("txHash"), UNKNOWN_ID],
    "vertexHash": [*known("vertexHash"), UNKNOWN_ID],
    "l1ValidationId": [*known("validationId"), UNKNOWN_ID],
    "nodeId": [*known("nodeId"), UNKNOWN_NODE],
    "blockchainId": [*known("blockchainId"), UNKNOWN_ID],
}
HEIGHTS = ["0", *known("blockNumber")]
ADDRESSES = known("addresses", "ownerAddresses", "rewardAddresses") or [UNKNOWN_NODE]
LISTS = {"addresses": ADDRESSES, "rewardAddresses": ADDRESSES, "nodeIds": IDS["nodeId"]}

CHAINS = [chain["chainId"] for chain in get_all("chains")["chains"]]
ON_CHAINS = {}
for chain in CHAINS:
    walk(get_all(f"chains/{chain}/transactions?pageSize=100"), ON_CHAINS)
    walk(get_all(f"chains/{chain}/blocks?pageSize=100"), ON_CHAINS)
    walk(get_all(f"chains/{chain}/logs?pageSize=100"), ON_CHAINS)
    for sender in sorted(ON_CHAINS.get("address", []))[:8]:
        walk(get_all(f"chains/{chain}/addresses/{sender}/transactions?pageSize=100"), ON_CHAINS)

# only these list holders for each token ID
MULTI_TOKENS = {
    token["address"].lower()
    for chain in CHAINS
    for token in get_all(f"chains/{chain}/tokens?ercType=ERC-1155&pageSize=100")["tokens"]
}


def known_of_chains(name, *others):
    return [*sorted(ON_CHAINS.get(name, set())), *others]


EVM_HEIGHTS = known_of_chains("blockNumber", "0")
# a replayed node has no state of most others
NEWEST = max(EVM_HEIGHTS, key=int)
EVM_ADDRESSES = known_of_chains("address", "0x" + "00" * 20, "0x" + "Ab" * 20)
EVM_VALUES = {
    "chainId": CHAINS or ["43112"],
    "address": EVM_ADDRESSES,
    "contractAddress": EVM_ADDRESSES,
    "topic0": known_of_chains("topics", "0x" + "00" * 32),
    # those of atomic transactions are no hashes of the chain
    "txHash": [text for text in known_of_chains("txHash", "0x" + "00" * 32) if text.startswith("0x")],
    "blockId": [*EVM_HEIGHTS, *known_of_chains("blockHash", "0x" + "00" * 32)],
    "tokenId": known_of_chains("tokenId", "0", str(2**256 - 1)),
    "blockNumber": [NEWEST],
}
# of routes of messages between chains
MESSAGE_VALUES = {
    **{name: [UNKNOWN_ID, "43112"] for name in ["sourceBlockchainId", "destinationBlockchainId", "blockchainId"]},
    **{name: [UNKNOWN_ID, PRIMARY_NETWORK] for name in ["srcBlockchainId", "destBlockchainId"]},
    **{name: EVM_ADDRESSES for name in ["address", "from", "to"]},
    "messageId": ["00" * 32, "0x" + "Ab" * 32],
}
BOUNDS = ["DelegationCapacity", "TimeRemaining", "FeePercentage", "UptimePerformance"]
FILTERS = {"txTypes", "startTimestamp", "endTimestamp"}


def chooser(case):
    """The same choices for the same case, so that failures can be replayed and made smaller."""
    seed = json.dumps([case.path, case.path_parameters, case.query], sort_keys=True, default=repr)
    return random.Random(seed)


def repair_values(values, choice):
    for name in values.keys() - {"blockchainId"}:
        if name in LISTS:
            values[name] = ",".join(choice.sample(LISTS[name], k=choice.randint(1, 5)))
        elif name in IDS:
            values[name] = choice.choice(IDS[name])


def is_of_messages(case):
    return "/icm/" in case.path or "/teleporter/" in case.path


def is_of_evm(case):
    return "{chainId}" in case.path or "{address}" in case.path


def repair_evm(values, choice):
    for name in values:
        if name == "contractAddresses":
            values[name] = ",".join(choice.sample(EVM_ADDRESSES, k=choice.randint(1, 2)))
        elif name in EVM_VALUES:
            values[name] = choice.choice(EVM_VALUES[name])


def named(case, name):
    """Texts that the document names for a parameter which takes others, too: networks and chains of one's own have their own."""
    for parameter in case.operation.definition.raw["parameters"]:
        if parameter["name"] == name:
            return [value for schema in parameter["schema"].get("anyOf", []) for value in schema.get("enum", [])]
    return []


def aliases(case):
    """Names of the chains that the route takes, where it takes chains of the primary network only."""
    return [value for value in named(case, "blockchainId") if value.endswith("-chain")]


def repair_path(case, path, choice):
    networks = named(case, "network")
    if networks:
        path["network"] = choice.choice(networks)
    chains = aliases(case)
    if chains:
        path["blockchainId"] = choice.choice(chains)
    elif "blockchainId" in path:
        path["blockchainId"] = choice.choice(IDS["blockchainId"])
    if "blockId" in path:
        hashes = [block for block in IDS["blockId"] if block.startswith("0x") == (path["blockchainId"] == "c-chain")]
        path["blockId"] = choice.choice([*HEIGHTS, *hashes])
    # the P-chain answers few transactions, and here is nobody who signs the answer
    if "/signatureAggregator/" in case.path:
        path["txHash"] = UNKNOWN_ID


def repair_query(case, path, query, choice):
    for name in BOUNDS:
        least, most = query.get(f"min{name}"), query.get(f"max{name}")
        if least is not None and most is not None and float(least) > float(most):
            query[f"min{name}"], query[f"max{name}"] = most, least
    if "/rewards" in case.path and "addresses" not in query and "nodeIds" not in query:
        query["addresses"] = choice.choice(ADDRESSES)
    if query.get("sortBy") == "delegationFee":
        query["subnetId"] = PRIMARY_NETWORK
    if path.get("blockchainId") != "x-chain" and case.path.endswith("/utxos"):
        query.pop("assetId", None)
    if path.get("blockchainId") != "p-chain" and "/l1Validators" not in case.path:
        query.pop("l1ValidationId", None)
    if case.path.endswith("/blockchains/{blockchainId}/transactions") and "l1ValidationId" not in query and query.keys() & FILTERS:
        query["addresses"] = choice.choice(ADDRESSES)
    # one that no page gave is refused
    query.pop("pageToken", None)


def repair_webhook(case, choice):
    """Members that go together, and a URL: where webhooks of the test may not post to."""
    addresses = choice.sample(EVM_ADDRESSES, k=choice.randint(1, 2))
    if case.path == "/v1/webhooks" and isinstance(case.body, dict):
        kept = {name: value for name, value in case.body.items() if name in ("name", "description", "includeLogs", "includeInternalTxs")}
        case.body = {**kept, "eventType": "address_activity", "url": "http://127.0.0.1:1/", "chainId": EVM_VALUES["chainId"][0]}
        case.body["metadata"] = {"addresses": addresses}
    elif case.path.endswith("/addresses") and isinstance(case.body, dict):
        case.body = {"addresses": addresses}
    elif isinstance(case.body, dict) and "url" in case.body:
        case.body = {**case.body, "url": "http://127.0.0.1:1/"}


# bodies of requests by the token that their answer gave
PAGES = {}


@schemathesis.hook
def after_call(context, case, response):
    if response.status_code == 200 and b'"nextPageToken"' in response.content:
        PAGES[response.json()["nextPageToken"]] = case.body


@schemathesis.hook
def before_call(context, case, kwargs):
    if str((case.query or {}).get("blockNumber")).isdigit():
        case.query = {**case.query, "blockNumber": NEWEST}
    if case.meta is None:
        return
    path, query = dict(case.path_parameters or {}), dict(case.query or {})
    if case.meta.generation.mode != GenerationMode.POSITIVE:
        # filters beside the token of a page are ignored, wrong ones too
        if str(query.get("pageToken")) in PAGES:
            case.query = {name: value for name, value in query.items() if name != "pageToken"}
        return
    if query.get("pageToken") in PAGES:
        # the page behind another one, on the same path: of a body that is too long for a token the server wants the same again
        case.body = PAGES[query["pageToken"]]
        return
    choice = chooser(case)
    if is_of_messages(case):
        for values in [path, query]:
            values.update({name: choice.choice(MESSAGE_VALUES[name]) for name in values.keys() & MESSAGE_VALUES.keys()})
        # one that no page gave is refused
        query.pop("pageToken", None)
    elif "/webhooks" in case.path:
        repair_webhook(case, choice)
        # one that no page gave is refused
        query.pop("pageToken", None)
    elif is_of_evm(case):
        repair_evm(path, choice)
        repair_evm(query, choice)
        if case.path.endswith("/holders"):
            query.pop("tokenId", None)
            if path["address"].lower() in MULTI_TOKENS:
                query["tokenId"] = choice.choice(EVM_VALUES["tokenId"])
        # one that no page gave is refused
        query.pop("pageToken", None)
    else:
        for values in [path, query, case.body]:
            if isinstance(values, dict):
                repair_values(values, choice)
        repair_path(case, path, choice)
        repair_query(case, path, query, choice)
    if "pageSize" in query and case.meta.phase.name == "stateful":
        query["pageSize"] = choice.randint(1, 3)
    case.path_parameters, case.query = path, query
