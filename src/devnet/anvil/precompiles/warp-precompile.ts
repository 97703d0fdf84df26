/** The warp precompile of one chain: when its contract is put into the state, and what it is told before a block or a call. */

import { keccak256 } from "../../../base/bytes/hash.ts";
import type { ShortId } from "../../../base/bytes/id.ts";
import type { WarpMessage } from "../../../chains/platform/warp/message.ts";
import { RuleError } from "../../../network/execution.ts";
import type { EvmChainSpec } from "../chains/evm-chain-spec.ts";
import type { EvmCall } from "../evm-call.ts";
import type { JsonRpcClient } from "../json-rpc-client.ts";
import type { EvmEdit } from "../sealing/evm-edits.ts";
import { type CallWithPredicates, callWithPredicates, mayHavePredicates } from "./call-predicates.ts";
import { messageOf, readingGas } from "./predicate.ts";
import { type PredicatedTransaction, predicatedTransaction } from "./predicated-transaction.ts";
import { verifiedEdit, WARP_ADDRESS, warpEdits } from "./warp-contract.ts";

/** Throws a RuleError if validators did not sign the message. */
export type VerifyWarp = (message: WarpMessage) => void;

interface NextBlock {
  readonly height: bigint;
  /** Unix seconds */
  readonly timestamp: bigint;
  /** the only one in it, if it has messages */
  readonly transaction: PredicatedTransaction | undefined;
  readonly verify: VerifyWarp | undefined;
}

export class WarpPrecompile {
  readonly #spec: EvmChainSpec;
  #isThere = false;
  #activity = 0;

  constructor(spec: EvmChainSpec) {
    this.#spec = spec;
  }

  /** Call this for every child, in the state in which it begins. */
  async look(rpc: JsonRpcClient): Promise<void> {
    this.#isThere = this.#spec.warp !== undefined && (await rpc.call("eth_getCode", `0x${WARP_ADDRESS}`, "latest")) !== "0x";
  }

  /** The changes of the state before a block: as on a node, the first one of Durango brings the precompile. */
  editsBefore({ height, timestamp, transaction, verify }: NextBlock): EvmEdit[] {
    const { warp, chainId } = this.#spec;
    if (!warp?.isActiveAt(timestamp)) return [];
    const edits = this.#isThere ? [] : warpEdits(warp.networkId, chainId);
    this.#isThere = true;
    const isGranite = warp.isGraniteAt(timestamp);
    for (const [index, packed] of transaction?.predicates.entries() ?? []) {
      const message = messageOf(packed);
      if (verify === undefined || !holds(() => verify(message))) continue;
      edits.push(verifiedEdit({ height, origin: transaction!.origin, index, message, gas: readingGas(packed, { isGranite }) }));
    }
    return edits;
  }

  /** Increases when a sealed block may contain messages that contracts sent. */
  get activity(): number {
    return this.#activity;
  }

  /** @param bloom of a sealed block's logs, `0x…` */
  sealed(bloom: unknown): void {
    if (typeof bloom === "string" && mayContain(bloom, WARP_ADDRESS)) this.#activity++;
  }

  /** Returns undefined for a transaction without warp messages. Throws with the node's text if one cannot be read. @param raw hex */
  messagesIn(raw: string, now: bigint): PredicatedTransaction | undefined {
    const { warp } = this.#spec;
    return warp?.isActiveAt(now) ? predicatedTransaction(raw, { isGranite: warp.isGraniteAt(now) }) : undefined;
  }

  /** Returns undefined for a call without warp messages. @param height of the last block */
  async tried(call: EvmCall, now: bigint, height: () => Promise<bigint>): Promise<CallWithPredicates | undefined> {
    const { warp } = this.#spec;
    if (!warp?.isActiveAt(now) || !mayHavePredicates(call)) return undefined;
    return callWithPredicates(call, { isGranite: warp.isGraniteAt(now), height: await height() });
  }

  /** The child's answer as the chain's node gives it. @param tried what the child was asked instead of the call */
  shown(call: EvmCall, answer: Buffer, tried: CallWithPredicates | undefined): Buffer {
    if (call.method === "eth_getCode" && asksForContract(call)) return withCode(answer);
    return call.method === "eth_estimateGas" && tried !== undefined ? withMoreGas(answer, tried.moreGas) : answer;
  }
}

/** Whether a bloom filter has the three bits of an address. */
function mayContain(bloom: string, address: ShortId): boolean {
  const filter = Buffer.from(bloom.slice(2), "hex");
  const hash = keccak256(Buffer.from(address, "hex"));
  return [0, 2, 4].every((at) => {
    const bit = hash.readUInt16BE(at) & 2047;
    return (filter[filter.length - 1 - (bit >> 3)]! >> (bit & 7)) & 1;
  });
}

function asksForContract({ raw }: EvmCall): boolean {
  if (!raw.toLowerCase().includes(WARP_ADDRESS)) return false;
  const { params } = JSON.parse(raw) as { readonly params?: unknown };
  const [address] = Array.isArray(params) ? (params as unknown[]) : [];
  return typeof address === "string" && address.toLowerCase() === `0x${WARP_ADDRESS}`;
}

/** Nodes give precompiles a code of one byte, so that Solidity calls them. */
function withCode(answer: Buffer): Buffer {
  return Buffer.from(answer.toString("latin1").replace(/"result":"0x[0-9a-f]+"/, '"result":"0x01"'), "latin1");
}

function withMoreGas(answer: Buffer, moreGas: bigint): Buffer {
  const text = answer.toString("latin1");
  return Buffer.from(
    text.replace(/"result":"(0x[0-9a-f]+)"/, (_, gas: string) => `"result":"0x${(BigInt(gas) + moreGas).toString(16)}"`),
    "latin1",
  );
}

/** Whether a check throws no RuleError. */
export function holds(check: () => void): boolean {
  try {
    check();
    return true;
  } catch (error) {
    if (error instanceof RuleError) return false;
    throw error;
  }
}
