/**
 * Refuses methods of the development EVM that would make its state differ from what the stored blocks produce, and names the method that
 * does the same to the whole network. Methods that only read pass.
 */

/** Namespaces of development nodes. */
const NAMESPACES: ReadonlySet<string> = new Set(["anvil", "hardhat", "evm", "tenderly"]);
/** Namespaces that the C-chain's node does not offer; some of their methods exist in the child. */
const ABSENT: ReadonlySet<string> = new Set(["wallet", "personal", "miner", "admin"]);

const READS: ReadonlySet<string> = new Set([
  "anvil_nodeInfo",
  "anvil_metadata",
  "hardhat_metadata",
  "anvil_getAutomine",
  "hardhat_getAutomine",
  "anvil_getIntervalMining",
  "anvil_getBlobByHash",
  "anvil_getBlobsByTransactionHash",
  "anvil_getGenesisTime",
]);

/** Methods outside those namespaces that put something into a block without a signature. */
const OTHERS: ReadonlySet<string> = new Set(["eth_sendUnsignedTransaction"]);

/** The replacement, by pattern of the method's name; the first match counts. */
const INSTEAD: readonly (readonly [pattern: RegExp, instead: string])[] = [
  [/mine|mining/i, "firn.mine"],
  [/balance|deal/i, "firn.fund"],
  [/time/i, "firn.advanceTime or firn.setTime"],
  [/snapshot|revert|reset|loadState|dumpState|rollback|reorg/i, "firn.snapshot and firn.revert"],
];

const SERVER_ERROR = -32_000;
/** bytes; the child's, with an ID of usual length */
const LONGEST_REFUSAL = 512;
const METHOD_NOT_FOUND = -32_601;
const SIGNED = "send a signed transaction";

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

/** Returns why the method is refused; undefined if it passes. */
export function refusalOf(method: string): Refusal | undefined {
  const namespace = method.slice(0, method.indexOf("_"));
  if (ABSENT.has(namespace)) return unknownMethod(method);
  if (!OTHERS.has(method) && (!NAMESPACES.has(namespace) || READS.has(method))) return undefined;
  const instead = INSTEAD.find(([pattern]) => pattern.test(method))?.[1];
  const advice = instead === undefined ? `${SIGNED} instead` : `use ${instead} at /ext/firn instead`;
  const message = `${method} would change the C-chain's EVM alone, not the network that it belongs to; ${advice}`;
  return { code: SERVER_ERROR, message };
}
