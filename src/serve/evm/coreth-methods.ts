/** Methods that the C-chain's node has and a development EVM lacks: fee suggestions, the chain's configuration, and the like. */

import { larger, smaller } from "../../base/bytes/amount.ts";
import type { JsonObject, JsonValue } from "../../base/json/go-encode.ts";
import { EvmRequestError } from "../../devnet/anvil/evm-error.ts";
import type { EvmNode } from "../../devnet/anvil/evm-node.ts";
import { isActive, type NetworkInstance, type UpgradeName } from "../../network/network.ts";
import { askAsClient } from "./ask-as-client.ts";
import { addressOf } from "./cheats/cheat-params.ts";

// `eth_callDetailed` of coreth and saevm: a call that tells the gas it used, and why it failed.

interface Frame {
  readonly gasUsed: string;
  readonly output?: string;
  readonly error?: string;
  readonly revertReason?: string;
}

const INVALID_PARAMS = -32_602;
const REVERTED = "execution reverted";
/** of a revert, as `eth_call` has it */
const REVERT_CODE = 3;

/** @param params the call, the block, and overrides of accounts */
async function detailedCall(evm: EvmNode, [call, block, overrides]: readonly unknown[], client?: object): Promise<JsonValue> {
  if (call === undefined) throw missing(0);
  if (block === undefined || block === null) throw missing(1);
  const options = { tracer: "callTracer", tracerConfig: { onlyTopCall: true }, ...(overrides ? { stateOverrides: overrides } : {}) };
  const at = block === "pending" ? "latest" : block;
  const frame = (await askAsClient(evm, "debug_traceCall", [call, at, options], client)) as unknown as Frame;
  const { gasUsed, output = "0x", error = "", revertReason } = frame;
  const isRevert = error === REVERTED;
  const err = isRevert && revertReason !== undefined ? `${REVERTED}: ${revertReason}` : error;
  return { gas: Number(gasUsed), errCode: isRevert ? REVERT_CODE : 0, err, returnData: output };
}

function missing(argument: number): EvmRequestError {
  return new EvmRequestError("eth_callDetailed", { code: INVALID_PARAMS, message: `missing value for required argument ${argument}` });
}

export interface CorethParts {
  readonly network: NetworkInstance;
  readonly evm: EvmNode;
  /** Unix seconds */
  clock(): bigint;
}

/** @param params of the call @param client the caller */
export type CorethMethod = (parts: CorethParts, params: readonly unknown[], client: object | undefined) => JsonValue | Promise<JsonValue>;

export const corethMethods: ReadonlyMap<string, CorethMethod> = new Map<string, CorethMethod>([
  ["eth_baseFee", baseFee],
  ["eth_callDetailed", ({ evm }, params, client) => detailedCall(evm, params, client)],
  ["eth_getChainConfig", ({ network, evm }) => chainConfig(network, evm.spec.evmChainId)],
  ["eth_suggestPriceOptions", suggestPriceOptions],
  ["eth_pendingTransactions", pendingTransactions],
  ["net_peerCount", () => "0x0"],
  ["txpool_contentFrom", contentFrom],
]);

/** of a block that is made now */
export async function baseFee({ evm }: CorethParts): Promise<JsonValue> {
  return quantity(await evm.baseFee());
}

const GWEI = 1_000_000_000n;
/** The default of the node's configuration. */
const MAX_TIP = 20n * GWEI;
const MIN_TIP = 1n;

/** by sender, then by nonce */
type Waiting = Readonly<Record<string, Record<string, JsonValue>>>;

/** Those of a node's own accounts; here of all that the next block could have. */
async function pendingTransactions({ evm }: CorethParts): Promise<JsonValue> {
  const { pending } = (await evm.request("txpool_content", [])) as { readonly pending: Waiting };
  return Object.values(pending).flatMap((ofSender) => Object.values(ofSender));
}

/** The part of the pool that is an account's. */
async function contentFrom({ evm }: CorethParts, [account]: readonly unknown[]): Promise<JsonValue> {
  const address = `0x${addressOf(account)}`;
  const { pending, queued } = (await evm.request("txpool_content", [])) as { readonly pending: Waiting; readonly queued: Waiting };
  const ofAccount = (waiting: Waiting) => Object.entries(waiting).find(([sender]) => sender.toLowerCase() === address)?.[1] ?? {};
  return { pending: ofAccount(pending), queued: ofAccount(queued) };
}

/**
 * The base fee may double before the transaction is included. Before Helicon tips are capped; since then the faster price is never below a
 * slower one.
 */
async function suggestPriceOptions({ network, evm, clock }: CorethParts): Promise<JsonValue> {
  const now = clock();
  const suggested = BigInt((await evm.request("eth_maxPriorityFeePerGas", [])) as string);
  const doubled = 2n * (await evm.baseFee());
  const isHelicon = isActive(network, "helicon", now);
  const capped = isHelicon ? suggested : smaller(suggested, MAX_TIP);
  const slow = larger((capped * 95n) / 100n, MIN_TIP);
  const normal = isHelicon ? larger(capped, slow) : capped;
  const fast = isHelicon ? larger((suggested * 105n) / 100n, normal) : (suggested * 105n) / 100n;
  const price = (tip: bigint) => ({ maxPriorityFeePerGas: quantity(tip), maxFeePerGas: quantity(doubled + tip) });
  return { slow: price(slow), normal: price(normal), fast: price(fast) };
}

/** Ethereum upgrades that were active from genesis; later ones came with Avalanche's upgrades. */
const FIRST_UPGRADES = [
  "homesteadBlock",
  "daoForkBlock",
  "eip150Block",
  "eip155Block",
  "eip158Block",
  "byzantiumBlock",
  "constantinopleBlock",
  "petersburgBlock",
  "istanbulBlock",
  "muirGlacierBlock",
  "berlinBlock",
  "londonBlock",
];

const UPGRADE_MEMBERS: readonly (readonly [member: string, upgrade: UpgradeName])[] = [
  ["apricotPhase1BlockTimestamp", "apricotPhase1"],
  ["apricotPhase2BlockTimestamp", "apricotPhase2"],
  ["apricotPhase3BlockTimestamp", "apricotPhase3"],
  ["apricotPhase4BlockTimestamp", "apricotPhase4"],
  ["apricotPhase5BlockTimestamp", "apricotPhase5"],
  ["apricotPhasePre6BlockTimestamp", "apricotPhasePre6"],
  ["apricotPhase6BlockTimestamp", "apricotPhase6"],
  ["apricotPhasePost6BlockTimestamp", "apricotPhasePost6"],
  ["banffBlockTimestamp", "banff"],
  ["cortinaBlockTimestamp", "cortina"],
  ["durangoBlockTimestamp", "durango"],
  ["etnaTimestamp", "etna"],
  ["fortunaTimestamp", "fortuna"],
  ["graniteTimestamp", "granite"],
  ["heliconTimestamp", "helicon"],
];

/** 9999-12-01: an upgrade at this time is not scheduled, and the Ethereum upgrades that come with it are left out. */
const UNSCHEDULED = 253_399_622_400n;

/** Members are sorted by name, as the node writes them. */
function chainConfig(network: NetworkInstance, evmChainId: bigint): JsonObject {
  const { times } = network.upgrades;
  const members: [string, JsonValue][] = [
    ["chainId", evmChainId],
    ["daoForkSupport", true],
    ...FIRST_UPGRADES.map((name): [string, JsonValue] => [name, 0]),
    ...UPGRADE_MEMBERS.map(([member, upgrade]): [string, JsonValue] => [member, times[upgrade]]),
  ];
  if (times.durango < UNSCHEDULED) members.push(["shanghaiTime", times.durango]);
  if (times.etna < UNSCHEDULED) members.push(["cancunTime", times.etna]);
  return Object.fromEntries(members.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function quantity(value: bigint): string {
  return `0x${value.toString(16)}`;
}
