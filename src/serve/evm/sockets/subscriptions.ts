/**
 * Subscriptions of one WebSocket client. They have their own connection to the EVM. Its messages wait while a sealed block is not yet
 * committed, so that clients never hear of a block that may be dropped.
 */
import { WebSocket } from "ws";
import type { Limits } from "../../../base/limits.ts";
import { type EvmCall, errorAnswer } from "../../../devnet/anvil/evm-call.ts";
import type { EvmNode } from "../../../devnet/anvil/evm-node.ts";
import type { RequestTurns } from "../../../http/request-turns.ts";
import { isTooLong, itemsOfSubscription, type LogFilters, problemOfSubscription, TOO_MANY } from "../log-filters.ts";
import type { OutgoingQueue } from "./outgoing-queues.ts";

interface SubscriptionParts {
  readonly evm: EvmNode;
  readonly gateway: { readonly filters: LogFilters };
  readonly limits: Limits;
  readonly queue: OutgoingQueue;
  /** opens turns for a message that is passed on */
  open(): RequestTurns;
}

const SUBSCRIBE = "eth_subscribe";
/** Avalanche's nodes tell these; a development EVM does not. */
const ACCEPTED_TRANSACTIONS = "newAcceptedTransactions";
const METHODS: ReadonlySet<string> = new Set([SUBSCRIBE, "eth_unsubscribe"]);
const NOTIFICATION = '"method":"eth_subscription"';
/** The start of an EVM message, which tells its kind. */
const START_BYTES = 64;
const INTERNAL_ERROR = 1011;
const SERVICE_RESTART = 1012;
const SERVER_ERROR = -32_000;

interface Notification {
  readonly params: { readonly subscription: string; readonly result: { readonly hash: string } };
}

interface Reply {
  readonly id?: number;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
}

export function isSubscription({ method }: EvmCall): boolean {
  return METHODS.has(method ?? "");
}

export class Subscriptions {
  readonly #client: WebSocket;
  readonly #parts: SubscriptionParts;
  #upstream: Promise<WebSocket> | undefined;
  /** calls that the EVM has not answered, by the number they were sent with */
  readonly #asked = new Map<number, EvmCall>();
  #lastNumber = 0;
  /** of subscriptions, with what their filters count as */
  readonly #ids = new Map<string, number>();
  /** of subscriptions, and of those that the EVM has not answered */
  #items = 0;
  #isClosed = false;
  /** those of them that tell transactions of accepted blocks: whether with all their members. The EVM tells the heads of these blocks */
  readonly #ofTransactions = new Map<string, boolean>();
  /** settles after the last message from the EVM was delivered, which keeps their order */
  #delivered: Promise<void> = Promise.resolve();
  /** bytes of messages that wait for a commit */
  #heldBytes = 0;

  constructor(client: WebSocket, parts: SubscriptionParts) {
    this.#client = client;
    this.#parts = parts;
  }

  /** Sends the EVM's answer when it arrives. */
  async answer(call: EvmCall): Promise<void> {
    const { limits, queue } = this.#parts;
    const refuse = (message: string) => queue.send(errorAnswer(call, { code: SERVER_ERROR, message }));
    if (isTooLong(call.raw)) return refuse(TOO_MANY);
    const params = paramsOf(call);
    const items = call.method === SUBSCRIBE ? itemsOfSubscription(params) : 0;
    const problem = items === 0 ? undefined : this.#problemOf(params, items);
    if (problem !== undefined) return refuse(problem);
    if (call.method === SUBSCRIBE && this.#ids.size + this.#asked.size >= limits.webSocketSubscriptions) {
      return refuse(`this connection has ${limits.webSocketSubscriptions} subscriptions; end some, or use another connection`);
    }
    const number = ++this.#lastNumber;
    this.#asked.set(number, call);
    this.#count(items);
    try {
      this.#upstream ??= this.#connect();
      const sent = toldTransactions(call) === undefined ? params : ["newHeads"];
      (await this.#upstream).send(JSON.stringify({ jsonrpc: "2.0", id: number, method: call.method, params: sent }));
    } catch {
      this.#asked.delete(number);
      this.#count(-items);
      this.#upstream = undefined;
      refuse(`${this.#parts.evm.spec.name}'s EVM does not answer; try again in a moment`);
    }
  }

  #problemOf(params: unknown, items: number): string | undefined {
    const { limits, gateway } = this.#parts;
    const problem = problemOfSubscription(params);
    if (problem !== undefined) return problem;
    if (this.#items + items <= limits.webSocketFilterItems) return gateway.filters.fullFor(items);
    return `the subscriptions of this connection have more than ${limits.webSocketFilterItems} addresses and topics; end some, or use another connection`;
  }

  #count(items: number): void {
    if (this.#isClosed) return;
    this.#items += items;
    this.#parts.gateway.filters.items += items;
  }

  #end(subscription: string): void {
    this.#count(-(this.#ids.get(subscription) ?? 0));
    this.#ids.delete(subscription);
    this.#ofTransactions.delete(subscription);
  }

  close(): void {
    this.#count(-this.#items);
    this.#isClosed = true;
    this.#upstream?.then((upstream) => upstream.close()).catch(() => {});
  }

  async #connect(): Promise<WebSocket> {
    const { evm, limits } = this.#parts;
    await evm.ready();
    const upstream = new WebSocket(evm.webSocketUrl, { maxPayload: limits.webSocketQueueBytes, perMessageDeflate: false });
    upstream.on("message", (data) => this.#hold(data as Buffer));
    return new Promise((resolve, reject) => {
      upstream.on("error", reject);
      upstream.once("open", () => {
        // Subscriptions end with their EVM process; clients subscribe again after reconnecting
        upstream.once("close", () => this.#client.close(SERVICE_RESTART, `${evm.spec.name}'s EVM was restarted`));
        resolve(upstream);
      });
    });
  }

  #hold(message: Buffer): void {
    this.#heldBytes += message.length;
    if (this.#heldBytes > this.#parts.limits.webSocketQueueBytes) this.#parts.queue.giveUp();
    this.#delivered = this.#delivered
      .then(() => this.#parts.evm.ready())
      .catch(() => {})
      .then(() => this.#deliver(message))
      .catch(() => this.#client.close(INTERNAL_ERROR));
  }

  /** Many clients receive the same block, so each delivery takes a turn of its client. */
  async #deliver(message: Buffer): Promise<void> {
    const turns = this.#parts.open();
    try {
      await turns.turn();
      this.#heldBytes -= message.length;
      for (const told of await this.#told(message)) this.#parts.queue.send(told, this.#heldBytes);
    } finally {
      turns.close();
    }
  }

  async #told(message: Buffer): Promise<(Buffer | string)[]> {
    if (message.subarray(0, START_BYTES).includes(NOTIFICATION)) {
      return this.#ofTransactions.size === 0 ? [await this.#parts.evm.completeHead(message)] : this.#notified(message);
    }
    const reply = JSON.parse(message.toString()) as Reply;
    const call = reply.id === undefined ? undefined : this.#asked.get(reply.id);
    return [call === undefined ? message : this.#answerOf(call, reply)];
  }

  /** The message, or the transactions of the block whose head it has. */
  async #notified(message: Buffer): Promise<(Buffer | string)[]> {
    const { subscription, result } = (JSON.parse(message.toString()) as Notification).params;
    const isFull = this.#ofTransactions.get(subscription);
    if (isFull === undefined) return [await this.#parts.evm.completeHead(message)];
    const block = (await this.#parts.evm.request("eth_getBlockByHash", [result.hash, isFull])) as {
      readonly transactions: unknown[];
    } | null;
    return (block?.transactions ?? []).map((transaction) =>
      JSON.stringify({ jsonrpc: "2.0", method: "eth_subscription", params: { subscription, result: transaction } }),
    );
  }

  #answerOf(call: EvmCall, { id, result, error }: Reply): string {
    this.#asked.delete(id!);
    const items = call.method === SUBSCRIBE ? itemsOfSubscription(paramsOf(call)) : 0;
    if (error !== undefined) {
      this.#count(-items);
      return errorAnswer(call, error);
    }
    const isFull = toldTransactions(call);
    if (isFull !== undefined) this.#ofTransactions.set(String(result), isFull);
    if (call.method === SUBSCRIBE) this.#ids.set(String(result), items);
    else if (result === true) this.#end(subscriptionOf(call));
    return call.id === undefined ? "" : `{"jsonrpc":"2.0","id":${call.id},"result":${JSON.stringify(result)}}`;
  }
}

function subscriptionOf(call: EvmCall): string {
  const params = paramsOf(call);
  return Array.isArray(params) ? String(params[0]) : "";
}

/** Whether a call subscribes to transactions of accepted blocks with all their members, or their hashes; undefined: to something else. */
function toldTransactions(call: EvmCall): boolean | undefined {
  const params = paramsOf(call);
  if (call.method !== SUBSCRIBE || !Array.isArray(params) || params[0] !== ACCEPTED_TRANSACTIONS) return undefined;
  return params[1] === true;
}

function paramsOf({ raw }: EvmCall): unknown {
  const { params = [] } = JSON.parse(raw) as { readonly params?: unknown };
  return params;
}
