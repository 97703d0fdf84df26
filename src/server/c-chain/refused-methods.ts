/**
 * Answers for methods that a node of the C-chain does not have. Those of development nodes that Firn does for the whole network are in
 * `cheat-methods.ts`; the child's others would make its state differ from what the stored blocks produce, so they do not exist here.
 */

/** Namespaces of development nodes. */
const NAMESPACES: ReadonlySet<string> = new Set(["anvil", "hardhat", "evm", "tenderly"]);
/** Namespaces that the C-chain's node does not offer; some of their methods exist in the child. */
const ABSENT: ReadonlySet<string> = new Set(["wallet", "personal", "miner", "admin"]);

const READS: ReadonlySet<string> = new Set([
  "anvil_nodeInfo",
  "anvil_metadata",
  "hardhat_metadata",
  "anvil_getBlobByHash",
  "anvil_getBlobsByTransactionHash",
  "anvil_getGenesisTime",
]);

/** Methods of the child that neither a node of the C-chain nor one of Subnet-EVM has. */
const OTHERS: ReadonlySet<string> = new Set(["eth_sendUnsignedTransaction", "eth_blobBaseFee", "eth_hashrate", "eth_protocolVersion"]);

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

/** Returns why the method is refused; undefined if the child answers it. */
export function refusalOf(method: string): Refusal | undefined {
  const namespace = method.slice(0, method.indexOf("_"));
  const isAbsent = OTHERS.has(method) || ABSENT.has(namespace) || (NAMESPACES.has(namespace) && !READS.has(method));
  return isAbsent ? unknownMethod(method) : undefined;
}
