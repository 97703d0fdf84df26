/**
 * `eth_sendTransaction`: sends for accounts whose transactions the client did not sign. Members that the client leaves out are filled in as a node
 * does. How a transaction is sent depends on its sender: each way says for whom it is one.
 */

import type { ShortId } from "../../base/bytes/id.ts";
import { FirnError } from "../../base/errors/errors.ts";
import { ESTIMATE } from "../../devnet/anvil/calls/gas-estimate.ts";
import type { EvmNode } from "../../devnet/anvil/evm-node.ts";
import { toHex } from "../../devnet/anvil/header.ts";
import { encodeUnsigned, type UnsignedFields } from "../../devnet/anvil/pool/unsigned-transaction.ts";
import { AnswerError, AnswerObject } from "../../sources/evm/parser/answer-object.ts";
import { askAsClient } from "./ask-as-client.ts";
import { invalid } from "./cheats/cheat-params.ts";

/** Sends a complete transaction; resolves with its hash when the client may be answered. */
export type Send = (fields: UnsignedFields, client: object | undefined) => Promise<string>;

interface SendParts {
  readonly evm: EvmNode;
  /** undefined if nothing is sent for this account */
  wayOf(sender: ShortId): Send | undefined;
}

/** As an account whose key nobody needs. */
export function sendUnsigned(evm: EvmNode, sender: ShortId): Send {
  return (fields, client) => evm.issueUnsigned(encodeUnsigned(fields), sender, client);
}

const LEGACY = "0x0";
const WITH_ACCESS_LIST = "0x1";
const WITH_DYNAMIC_FEE = "0x2";
const TYPES: ReadonlySet<string> = new Set([LEGACY, WITH_ACCESS_LIST, WITH_DYNAMIC_FEE]);

export class TransactionSender {
  readonly #parts: SendParts;
  /** settles with the last transaction of a sender: nonces are given one after the other */
  readonly #last = new Map<ShortId, Promise<unknown>>();

  constructor(parts: SendParts) {
    this.#parts = parts;
  }

  /** @param params of the call. @param way by default that of the sender */
  async send(params: readonly unknown[], client: object | undefined, way?: (sender: ShortId) => Send): Promise<string> {
    try {
      const request = new AnswerObject(params[0], "the transaction");
      const sender = request.address("from");
      const send = way?.(sender) ?? this.#parts.wayOf(sender);
      // geth's text
      if (send === undefined) throw new FirnError("unknown-account", "unknown account");
      return await this.#inTurn(sender, async () => send(await filled(request, this.#parts.evm), client));
    } catch (error) {
      throw error instanceof AnswerError ? invalid(error.message) : error;
    }
  }

  async #inTurn<T>(sender: ShortId, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(sender) ?? Promise.resolve();
    const turn = before.then(work, work);
    this.#last.set(sender, turn);
    try {
      return await turn;
    } finally {
      if (this.#last.get(sender) === turn) this.#last.delete(sender);
    }
  }
}

async function filled(request: AnswerObject, evm: EvmNode): Promise<UnsignedFields> {
  const from = `0x${request.address("from")}`;
  const ask = async (method: string, ...params: readonly unknown[]) => (await evm.request(method, params)) as string;
  const chainId = await ask("eth_chainId");
  if (request.has("chainId") && request.quantity("chainId") !== BigInt(chainId)) {
    throw invalid(`chainId does not match node's (have=${request.quantity("chainId")}, want=${BigInt(chainId)})`);
  }
  const input = `0x${inputOf(request).toString("hex")}`;
  const to = request.optionalAddress("to");
  if (to === undefined && input === "0x") throw invalid("contract creation without any data provided");
  const value = toHex(request.optionalQuantity("value") ?? 0n);
  const call = { ...(to !== undefined && { to: `0x${to}` }), value, input };
  const nonce = request.has("nonce") ? toHex(request.uint64("nonce")) : await ask("eth_getTransactionCount", from, "pending");
  const accessList = request.has("accessList") ? { accessList: request.list("accessList") } : {};
  const gas = request.has("gas") ? toHex(request.uint64("gas")) : await askAsClient(evm, ESTIMATE, [{ from, ...call, ...accessList }]);
  return { ...call, ...(await feesOf(request, ask)), chainId, nonce, gas, accessList: [], ...accessList };
}

type Ask = (method: string, ...params: readonly unknown[]) => Promise<string>;

/** The type follows from the fees that the client names, unless it names the type. */
async function feesOf(request: AnswerObject, ask: Ask): Promise<Record<string, string> & { type: string }> {
  const isDynamic = request.has("maxFeePerGas") || request.has("maxPriorityFeePerGas");
  const legacy = request.has("accessList") ? WITH_ACCESS_LIST : LEGACY;
  const type = request.has("type") ? toHex(request.quantity("type")) : request.has("gasPrice") ? legacy : WITH_DYNAMIC_FEE;
  if (!TYPES.has(type) || request.has("blobVersionedHashes") || request.has("authorizationList")) {
    throw new FirnError("no-blobs", "transaction type not supported");
  }
  if (request.has("gasPrice") && isDynamic) throw invalid("both gasPrice and (maxFeePerGas or maxPriorityFeePerGas) specified");
  const given = (name: string) => request.optionalQuantity(name);
  if (type !== WITH_DYNAMIC_FEE) return { type, gasPrice: toHex(given("gasPrice") ?? BigInt(await ask("eth_gasPrice"))) };
  const tip = given("maxPriorityFeePerGas") ?? given("gasPrice") ?? BigInt(await ask("eth_maxPriorityFeePerGas"));
  const most = given("maxFeePerGas") ?? given("gasPrice") ?? BigInt(await ask("eth_gasPrice")) + tip;
  const isTipChosen = request.has("maxPriorityFeePerGas");
  return { type, maxPriorityFeePerGas: toHex(tip > most && !isTipChosen ? most : tip), maxFeePerGas: toHex(most) };
}

function inputOf(request: AnswerObject): Buffer {
  const [data, input] = ["data", "input"].map((name) => (request.has(name) ? request.bytes(name) : undefined));
  if (data !== undefined && input !== undefined && !data.equals(input)) {
    throw invalid(`both "data" and "input" are set and not equal. Please use "input" to pass transaction call data`);
  }
  return input ?? data ?? Buffer.alloc(0);
}
