/**
 * One WebSocket client of the C-chain's EVM. Its calls take the same path as over HTTP, in its turns, a few at a time; meanwhile nothing
 * more is read from it.
 */

import { type RawData, WebSocket } from "ws";
import type { Limits } from "../../../base/limits.ts";
import { LimitError } from "../../../base/work/work.ts";
import { errorAnswer } from "../../../devnet/anvil/evm-call.ts";
import type { EvmNode } from "../../../devnet/anvil/evm-node.ts";
import { RefusedRequest } from "../../../http/exchange.ts";
import type { RequestTurns } from "../../../http/request-turns.ts";
import type { AcceptedUpgrade } from "../../../http/upgrade.ts";
import { type Calls, type EvmGateway, joinedBatch } from "../gateway.ts";
import { priceOfCalls } from "../prices.ts";
import type { OutgoingQueue } from "./outgoing-queues.ts";
import { isSubscription, Subscriptions } from "./subscriptions.ts";

interface EvmClientParts {
  readonly gateway: EvmGateway;
  readonly evm: EvmNode;
  readonly limits: Limits;
  readonly queue: OutgoingQueue;
  readonly upgrade: AcceptedUpgrade;
}

const POLICY_VIOLATION = 1008;
const INTERNAL_ERROR = 1011;
/** From EIP-1474; clients that know it try again later. */
const LIMIT_EXCEEDED = -32_005;
const SERVER_ERROR = -32_000;
/** Messages of one client that are answered concurrently. */
const MOST_AT_ONCE = 8;
/** While more bytes than this wait to be sent, no further message is answered. */
const MOST_WAITING_BYTES = 1 << 20;

export class EvmClient {
  readonly #client: WebSocket;
  readonly #parts: EvmClientParts;
  readonly #subscriptions: Subscriptions;
  /** messages that were read but not started; a few kilobytes can contain many */
  readonly #waiting: string[] = [];
  readonly #answering = new Set<RequestTurns>();
  /** what the last ping said that was not answered */
  #ping: Buffer | undefined;

  constructor(client: WebSocket, parts: EvmClientParts) {
    this.#client = client;
    this.#parts = parts;
    this.#subscriptions = new Subscriptions(client, { ...parts, open: parts.upgrade.open });
    parts.queue.onTaken = () => this.#answerNext();
    client.on("message", (data) => {
      this.#waiting.push(latin1Of(data));
      this.#answerNext();
    });
    client.on("ping", (data) => (this.#ping = data));
    client.on("close", () => {
      this.#subscriptions.close();
      for (const work of this.#answering) work.close();
    });
    client.on("error", () => {});
  }

  /** Call this in the turn of the event loop after one in which something was read. */
  goOn(): void {
    this.#pong();
    this.#answerNext();
  }

  /** Only the last of several pings is answered, as RFC 6455 allows; a client that does not read gets no pongs. */
  #pong(): void {
    if (this.#ping !== undefined && this.#client.bufferedAmount < MOST_WAITING_BYTES) this.#client.pong(this.#ping, false, () => {});
    this.#ping = undefined;
  }

  #answerNext(): void {
    while (this.#waiting.length > 0 && this.#canAnswer()) void this.#answer(this.#waiting.shift()!);
    const isOpen = this.#client.readyState === WebSocket.OPEN;
    if (!isOpen) this.#waiting.length = 0;
    if (isOpen && !this.#canAnswer()) this.#client.pause();
    else this.#client.resume();
  }

  #canAnswer(): boolean {
    return this.#answering.size < MOST_AT_ONCE && this.#parts.queue.bytes < MOST_WAITING_BYTES;
  }

  /** Never rejects. */
  async #answer(body: string): Promise<void> {
    const work = this.#parts.upgrade.open();
    this.#answering.add(work);
    let calls: Calls | undefined;
    try {
      await work.turn();
      calls = await this.#parts.gateway.read(body, work);
      await this.#answerCalls(calls, work);
    } catch (error) {
      this.#fail(error, calls);
    } finally {
      work.close();
      this.#answering.delete(work);
      this.#answerNext();
    }
  }

  async #answerCalls(calls: Calls | undefined, work: RequestTurns): Promise<void> {
    const { queue, gateway, upgrade } = this.#parts;
    const subscription = calls?.list.find(isSubscription);
    if (subscription === undefined) return queue.send(await gateway.answerCalls(calls, upgrade.pay, work));
    await upgrade.pay(priceOfCalls(calls!.list));
    if (!calls!.isBatch) return this.#subscriptions.answer(subscription);
    return queue.send(errorAnswer(subscription, { code: SERVER_ERROR, message: `send ${subscription.method} by itself, not in a batch` }));
  }

  /** Handles a message that may not be answered: a client that may ask again later or for less gets an error, any other is disconnected. */
  #fail(error: unknown, { list, isBatch }: Calls = { list: [{ raw: "", method: undefined, id: "null" }], isBatch: false }): void {
    const isTold = error instanceof LimitError || (error instanceof RefusedRequest && error.refusal.status === 429);
    if (isTold) {
      const answers = list.map((call) => Buffer.from(errorAnswer(call, { code: LIMIT_EXCEEDED, message: error.message })));
      this.#parts.queue.send(isBatch ? joinedBatch(answers) : answers[0]!);
    } else if (error instanceof RefusedRequest) this.#client.close(POLICY_VIOLATION, error.message);
    else this.#client.close(INTERNAL_ERROR);
  }
}

function latin1Of(data: RawData): string {
  return (Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data as Buffer)).toString("latin1");
}
