/** Sends and takes warp messages on a C-chain, with contracts of its own. */
import { decodeAbiParameters, encodeFunctionData, type Hex, parseAbi } from "viem";
import { packPredicate } from "../../../../src/devnet/anvil/precompiles/predicate.ts";
import { type EvmNetwork, FEES } from "../evm-network.ts";

export const WARP = "0x0200000000000000000000000000000000000005";
export const abi = parseAbi([
  "event SendWarpMessage(address indexed sender, bytes32 indexed messageID, bytes message)",
  "function getBlockchainID() view returns (bytes32 blockchainID)",
  "function sendWarpMessage(bytes payload) returns (bytes32 messageID)",
  "struct WarpMessage { bytes32 sourceChainID; address originSenderAddress; bytes payload; }",
  "struct WarpBlockHash { bytes32 sourceChainID; bytes32 blockHash; }",
  "function getVerifiedWarpMessage(uint32 index) view returns (WarpMessage message, bool valid)",
  "function getVerifiedWarpBlockHash(uint32 index) view returns (WarpBlockHash warpBlockHash, bool valid)",
]);

/** Code that passes its input on by this instruction, and logs what came back under whether it succeeded. */
function passesOn(instruction: "f1" | "f4" | "fa", value = "5f"): string {
  const hasValue = instruction === "f1";
  return `365f5f375f5f365f${hasValue ? value : ""}73${WARP.slice(2)}5a${instruction}3d5f5f3e3d5fa100`;
}

export const CALLS = passesOn("f1");
export const DELEGATES = passesOn("f4");
export const ONLY_READS = passesOn("fa");

export function deploying(code: string): Hex {
  return `0x61${(code.length / 2).toString(16).padStart(4, "0")}80600a5f395ff3${code}`;
}

export interface Receipt {
  readonly status: string;
  readonly gasUsed: string;
  readonly blockNumber: string;
  readonly contractAddress: Hex;
  readonly logs: readonly { readonly address: string; readonly topics: readonly Hex[]; readonly data: Hex }[];
}

export async function receiptOf(network: EvmNetwork, hash: string): Promise<Receipt> {
  const receipt = await network.ask("eth_getTransactionReceipt", hash);
  if (receipt === null) throw new Error(`no receipt: ${hash}`);
  return receipt as Receipt;
}

export async function deploy(network: EvmNetwork, code: string): Promise<Hex> {
  const fields = { ...FEES, type: "eip1559", nonce: await network.nonce(), data: deploying(code), gas: 300_000n } as const;
  return (await receiptOf(network, await network.send(await network.sign(fields)))).contractAddress;
}

interface Sent {
  readonly to: Hex;
  readonly data: Hex;
  readonly messages?: readonly Uint8Array[];
  readonly nonce?: number;
  readonly gas?: bigint;
}

export async function signed(network: EvmNetwork, { to, data, messages = [], nonce, gas = 1_000_000n }: Sent): Promise<Hex> {
  const fields = { ...FEES, type: "eip1559", nonce: nonce ?? (await network.nonce()), to, data, gas } as const;
  return network.sign({ ...fields, accessList: accessListOf(messages) });
}

export async function call(network: EvmNetwork, sent: Sent): Promise<Receipt> {
  return receiptOf(network, await network.send(await signed(network, sent)));
}

export function accessListOf(messages: readonly Uint8Array[]): { address: Hex; storageKeys: Hex[] }[] {
  return messages.map((message) => ({ address: WARP, storageKeys: keysOf(packPredicate(message)) }));
}

export function keysOf(packed: Buffer): Hex[] {
  return Array.from({ length: packed.length / 32 }, (_, n): Hex => `0x${packed.toString("hex", n * 32, n * 32 + 32)}`);
}

export function sending(payload: Hex): Hex {
  return encodeFunctionData({ abi, functionName: "sendWarpMessage", args: [payload] });
}

export function readingMessage(index: number): Hex {
  return encodeFunctionData({ abi, functionName: "getVerifiedWarpMessage", args: [index] });
}

export function readingBlockHash(index: number): Hex {
  return encodeFunctionData({ abi, functionName: "getVerifiedWarpBlockHash", args: [index] });
}

/** What a contract of these logged: whether the call succeeded, and its answer. */
export function loggedBy(contract: string, { logs }: Receipt): { readonly succeeded: boolean; readonly answer: Hex } {
  const log = logs.find(({ address }) => address.toLowerCase() === contract.toLowerCase())!;
  return { succeeded: BigInt(log.topics[0]!) === 1n, answer: log.data };
}

/** The unsigned message in the first log of the precompile. */
export function messageIn({ logs }: Receipt): { readonly id: string; readonly bytes: Buffer; readonly sender: string } {
  const log = logs.find(({ address }) => address === WARP)!;
  const [bytes] = decodeAbiParameters([{ type: "bytes" }], log.data);
  return { id: log.topics[2]!.slice(2), sender: `0x${log.topics[1]!.slice(26)}`, bytes: Buffer.from(bytes.slice(2), "hex") };
}
