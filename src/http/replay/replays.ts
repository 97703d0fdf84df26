/**
 * Answers requests again without parsing them. node:http has parsed the same bytes before, as exactly one request on a connection that
 * waited for one, and the answer depended on nothing that has changed since. Everything else goes to node:http.
 */
import type { ServerResponse } from "node:http";
import { Recent } from "../../base/collections/recent.ts";
import { LONGEST_TOGETHER } from "../answers.ts";
import type { Asked } from "./asked.ts";
import { type AnswerCache, type Reply, type Reusable, replyOf, writtenReply } from "./reply.ts";

/** Only what is asked a second time is kept. */
const ASKED_ONCE = 1024;
/** Longer bodies are not kept: of calls with an ID, which are put together for each client, and of others, whose bytes all clients share. In bytes. */
const MOST_WITH_ID = LONGEST_TOGETHER;
const MOST = 256 << 10;

/** The committed states that answers depend on. */
export interface AnswerStates {
  /** the newest state; undefined: it is not known at the moment */
  inUse(): { readonly cache: AnswerCache } | undefined;
  /** of the state that was the newest one when it was known last */
  readonly lastCache: AnswerCache;
  /** Makes the newest state known. */
  load(): Promise<void>;
}

export class Replays {
  readonly #states: AnswerStates;
  /** answers given */
  given = 0;
  readonly #askedOnce = new Recent<string, true>(ASKED_ONCE);

  constructor(states: AnswerStates) {
    this.#states = states;
  }

  /** Loads the committed state if only that is missing to give an answer again; undefined: it is known, or there is no answer. */
  load({ key }: Asked): Promise<void> | undefined {
    if (this.#states.inUse() !== undefined || this.#states.lastCache.find(key) === undefined) return undefined;
    return this.#states.load();
  }

  /** The answer, a text as latin1; undefined: none is kept. */
  find({ key, id }: Asked): string | Buffer | undefined {
    const cache = this.#states.inUse()?.cache;
    if (cache === undefined) return undefined;
    const startedAt = performance.now();
    const reply = cache.find<Reply>(key);
    if (reply === undefined || reply.holds?.() === false) return undefined;
    const written = writtenReply(reply, id);
    this.given++;
    reply.count((performance.now() - startedAt) / 1000);
    return written;
  }

  /** Call this after the answer to exactly these bytes was written. */
  keep(asked: Asked, response: ServerResponse, body: string | readonly Uint8Array[] | undefined, length: number, reusable: Reusable): void {
    if (length > (asked.id === "" ? MOST : MOST_WITH_ID)) return;
    if (this.#askedOnce.get(asked.key) === undefined) {
      this.#askedOnce.set(asked.key, true);
      return;
    }
    const bytes = typeof body === "string" ? Buffer.from(body) : Buffer.concat(body ?? []);
    const reply = replyOf(response, bytes.toString("latin1"), asked, reusable);
    if (reply !== undefined) reusable.cache.keep(asked.key, reply);
  }
}
