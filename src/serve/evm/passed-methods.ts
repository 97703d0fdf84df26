/**
 * The methods that the EVM of a devnet answers; `docs/devnet.md` lists them, too. Those of development nodes that Firn does for the whole network
 * are in `cheat-methods.ts`. The EVM's others would make its state differ from what the stored blocks produce, or mean what a network does not
 * have, so they do not exist here.
 */
/** of the chain's node; some of them Firn rewrites, or answers itself */
export const METHODS_OF_NODE = [
  ...[
    "eth_accounts",
    "eth_blockNumber",
    "eth_call",
    "eth_chainId",
    "eth_coinbase",
    "eth_createAccessList",
    "eth_estimateGas",
    "eth_feeHistory",
  ],
  ...["eth_fillTransaction", "eth_gasPrice", "eth_getBalance", "eth_getBlockByHash", "eth_getBlockByNumber", "eth_getBlockReceipts"],
  ...["eth_getBlockTransactionCountByHash", "eth_getBlockTransactionCountByNumber", "eth_getCode", "eth_getFilterChanges"],
  ...[
    "eth_getFilterLogs",
    "eth_getHeaderByHash",
    "eth_getHeaderByNumber",
    "eth_getLogs",
    "eth_getProof",
    "eth_getRawTransactionByBlockHashAndIndex",
  ],
  ...["eth_getRawTransactionByBlockNumberAndIndex", "eth_getRawTransactionByHash", "eth_getStorageAt"],
  ...["eth_getTransactionByBlockHashAndIndex", "eth_getTransactionByBlockNumberAndIndex", "eth_getTransactionByHash"],
  ...["eth_getTransactionCount", "eth_getTransactionReceipt", "eth_getUncleByBlockHashAndIndex"],
  ...["eth_getUncleByBlockNumberAndIndex", "eth_getUncleCountByBlockHash", "eth_getUncleCountByBlockNumber"],
  ...["eth_maxPriorityFeePerGas", "eth_newBlockFilter", "eth_newFilter", "eth_newPendingTransactionFilter"],
  ...["eth_sendRawTransaction", "eth_simulateV1", "eth_syncing", "eth_uninstallFilter"],
  ...["debug_getRawBlock", "debug_getRawHeader", "debug_getRawReceipts", "debug_getRawTransaction", "debug_traceBlockByHash"],
  ...["debug_traceBlockByNumber", "debug_traceCall", "debug_traceTransaction"],
  ...["net_listening", "net_version", "txpool_content", "txpool_inspect", "txpool_status", "web3_clientVersion", "web3_sha3"],
];

/** of other nodes, for tools that were made for these: they only read */
export const METHODS_OF_OTHERS = [
  ...["eth_sendRawTransactionSync", "eth_getTransactionBySenderAndNonce"],
  ...["anvil_getGenesisTime", "anvil_metadata", "anvil_nodeInfo", "hardhat_metadata"],
  ...["trace_block", "trace_filter", "trace_replayBlockTransactions", "trace_transaction"],
  ...["erigon_getHeaderByNumber", "ots_getApiLevel", "ots_getBlockDetails", "ots_getBlockDetailsByHash", "ots_getBlockTransactions"],
  ...["ots_getContractCreator", "ots_getInternalOperations", "ots_getTransactionBySenderAndNonce", "ots_getTransactionError"],
  ...["ots_hasCode", "ots_searchTransactionsAfter", "ots_searchTransactionsBefore", "ots_traceTransaction"],
];

const PASSED: ReadonlySet<string> = new Set([...METHODS_OF_NODE, ...METHODS_OF_OTHERS]);

/** bytes; the child's, with an ID of usual length */
const LONGEST_REFUSAL = 512;
const METHOD_NOT_FOUND = -32_601;

export interface Refusal {
  readonly code: number;
  readonly message: string;
}

/** geth's answer for a method that it does not have */
export function unknownMethod(method: string): Refusal {
  return { code: METHOD_NOT_FOUND, message: `the method ${method} does not exist/is not available` };
}

/** @param answer of the child */
export function isUnknownMethod(answer: Buffer): boolean {
  return answer.length <= LONGEST_REFUSAL && answer.includes(`"error":{"code":${METHOD_NOT_FOUND},`);
}

/** Whether the EVM is asked. */
export function isPassed(method: string): boolean {
  return PASSED.has(method);
}
