/** Requests to peers that wait for their answers (p2p.md 9): matched by peer, number and kind of answer, each with a deadline. */
import type { Id, NodeId } from "../base/bytes/id.ts";
import type { PeerClock } from "./peer-clock.ts";
import type { MessageKind, MessageOf, PeerMessage, SentMessage } from "./wire/message-codec.ts";

/** by the kind of request */
const ANSWERS = {
  getAcceptedFrontier: "acceptedFrontier",
  getAccepted: "accepted",
  getAncestors: "ancestors",
  get: "put",
  pullQuery: "chits",
  pushQuery: "chits",
  appRequest: "appResponse",
} as const satisfies Partial<Record<MessageKind, MessageKind>>;

export type RequestKind = keyof typeof ANSWERS;
export type AnswerOf<K extends RequestKind> = MessageOf<(typeof ANSWERS)[K]>;
type RequestMembers<K extends RequestKind> = Omit<
  Extract<SentMessage, { case: K }>["value"],
  "chainId" | "requestId" | "deadline" | "$typeName"
>;

export interface PeerRequest<K extends RequestKind> {
  readonly kind: K;
  readonly chainId: Id;
  readonly members: RequestMembers<K>;
}

/** Why there is no answer. */
export class NoAnswerError extends Error {
  readonly why: "timeout" | "disconnected" | "dropped" | "refused";

  constructor(why: NoAnswerError["why"], message: string) {
    super(message);
    this.name = "NoAnswerError";
    this.why = why;
  }
}

interface Pending {
  readonly nodeId: NodeId;
  readonly chainId: Id;
  readonly expected: MessageKind;
  /** when it was sent, by the clock that never goes back */
  readonly since: number;
  resolve(answer: unknown): void;
  reject(error: NoAnswerError): void;
}

/** for which peers may work on a request */
const DEADLINE_MS = 10_000;

export class Requests {
  readonly #clock: PeerClock;
  readonly #pending = new Map<number, Pending>();
  #nextId: number;

  /** @param firstId of 32 bits; a random one, so that answers to an earlier process match nothing */
  constructor(clock: PeerClock, firstId: number) {
    this.#clock = clock;
    this.#nextId = firstId >>> 0;
  }

  get waiting(): number {
    return this.#pending.size;
  }

  /** milliseconds for which the oldest one waits; 0 if none does */
  get longestMs(): number {
    const [oldest] = this.#pending.values();
    return oldest === undefined ? 0 : this.#clock.nowMs() - oldest.since;
  }

  /** Rejects with a NoAnswerError. @param send returns false if the message was dropped */
  ask<K extends RequestKind>(
    nodeId: NodeId,
    { kind, chainId, members }: PeerRequest<K>,
    send: (message: SentMessage) => boolean,
  ): Promise<AnswerOf<K>> {
    const requestId = this.#takeId();
    return new Promise((resolve, reject) => {
      const stop = this.#clock.after(DEADLINE_MS, () =>
        end(() => reject(new NoAnswerError("timeout", `no answer within ${DEADLINE_MS / 1000} s`))),
      );
      const end = (settle: () => void) => {
        stop();
        this.#pending.delete(requestId);
        settle();
      };
      this.#pending.set(requestId, {
        nodeId,
        chainId,
        expected: ANSWERS[kind],
        since: this.#clock.nowMs(),
        resolve: (answer) => end(() => (resolve as (answer: unknown) => void)(answer)),
        reject: (error) => end(() => reject(error)),
      });
      const deadline = BigInt(DEADLINE_MS) * 1_000_000n;
      const value = { ...members, chainId: Buffer.from(chainId, "hex"), requestId, deadline };
      if (!send({ case: kind, value } as SentMessage)) {
        this.#pending.get(requestId)?.reject(new NoAnswerError("dropped", "the peer does not read what it is sent"));
      }
    });
  }

  /** Returns false for a message that answers nothing; such messages are ignored. */
  take(nodeId: NodeId, message: PeerMessage): boolean {
    const { value } = message as { readonly value: { readonly requestId?: number; readonly chainId?: Uint8Array } };
    const pending = value.requestId === undefined ? undefined : this.#pending.get(value.requestId);
    if (pending === undefined || pending.nodeId !== nodeId) return false;
    if (Buffer.from(value.chainId ?? []).toString("hex") !== pending.chainId) return false;
    if (message.case === "appError") {
      pending.reject(new NoAnswerError("refused", `error ${message.value.errorCode}: ${message.value.errorMessage.slice(0, 200)}`));
      return true;
    }
    if (message.case !== pending.expected) return false;
    pending.resolve(message.value);
    return true;
  }

  /** A peer is gone. */
  abandon(nodeId: NodeId): void {
    for (const pending of [...this.#pending.values()]) {
      if (pending.nodeId === nodeId) pending.reject(new NoAnswerError("disconnected", "the peer is gone"));
    }
  }

  #takeId(): number {
    do this.#nextId = (this.#nextId + 1) >>> 0;
    while (this.#pending.has(this.#nextId));
    return this.#nextId;
  }
}
