/**
 * Finds what the network accepts, from samples by stake of the whole validator set (p2p.md 16.2). Who is silent, not connected or behind has no
 * vote. A correct node never takes back what it accepted, and never names two blocks at one height, so acceptances are counted, not preferences.
 */
import type { Id, NodeId } from "../base/bytes/id.ts";
import { FirnError } from "../base/errors/errors.ts";
import { pause } from "../base/work/pause.ts";
import type { Voters } from "./accepted-frontier.ts";
import type { PeerNetwork } from "./peer-network.ts";
import { type RandomBelow, randomBelow, StakeSampler } from "./stake-sampler.ts";

/** The reference node's sample size and quorum (K and alphaConfidence of the primary network). */
const SAMPLE_UNITS = 20;
const QUORUM_UNITS = 15;
/** Polls in a row that name the same block. A third of the stake that lies succeeds once in 2 × 10¹¹ heights. */
const POLLS = 3;
const LOOK_EVERY_MS = 250;
const AUDIT_EVERY_MS = 300_000;

export interface AcceptedPlace {
  readonly containerId: Id;
  readonly height: bigint;
}

interface PollOptions {
  readonly network: Pick<PeerNetwork, "request" | "isConnected">;
  readonly chainId: Id;
  /** the stake of all validators; asked anew for each poll */
  readonly voters: () => Promise<Voters>;
  /** milliseconds between two looks at the tip; default 250 */
  readonly lookEveryMs?: number;
  readonly random?: RandomBelow;
}

/** What a sample says about one height. */
interface Poll {
  /** the block that has a quorum */
  readonly accepted: Id | undefined;
  /** the greatest that a quorum has accepted */
  readonly height: bigint | undefined;
}

/** A quorum names another block than one before: a third of the stake lies, or this node follows another network. */
export class ContradictionError extends FirnError {
  constructor(height: bigint, problem: string) {
    const sentence = `the network's validators contradict each other about block ${height}: ${problem}; nothing more is taken from peers until they agree`;
    super("peers", sentence, { height });
  }
}

export class AcceptancePolls {
  readonly #options: PollOptions;
  #isStalled = false;
  #auditedAt = Number.NEGATIVE_INFINITY;

  constructor(options: PollOptions) {
    this.#options = options;
  }

  /** Validators name more blocks, and no quorum says so: too little of the stake is connected, or it lies. */
  get isStalled(): boolean {
    return this.#isStalled;
  }

  /** Resolves to a block above this one that the network has accepted; undefined: it was stopped. Rejects with a ContradictionError. */
  async next(last: AcceptedPlace, signal: AbortSignal): Promise<AcceptedPlace | undefined> {
    for (; !signal.aborted; await pause(this.#options.lookEveryMs ?? LOOK_EVERY_MS, signal)) {
      await this.#auditNowAndThen(last);
      if (!(await this.#hasMore(last))) continue;
      const found = await this.#confirm(last, signal);
      if (!signal.aborted) this.#isStalled = found === undefined;
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** Asks all validators that are connected: of a block that most of the stake has another one for, no more are taken. */
  async #auditNowAndThen(last: AcceptedPlace): Promise<void> {
    if (performance.now() - this.#auditedAt < AUDIT_EVERY_MS || last.height === 0n) return;
    const voters = await this.#options.voters();
    if (voters.size === 0) return;
    this.#auditedAt = performance.now();
    const denials = await Promise.all(
      [...voters].map(async ([nodeId, stake]) => {
        const chits = await this.#query(nodeId, last, last.height);
        const denies = chits !== undefined && chits.acceptedHeight >= last.height && chits.idAtHeight !== last.containerId;
        return denies ? stake : 0n;
      }),
    );
    const [denied, total] = [denials, [...voters.values()]].map((stakes) => stakes.reduce((sum, stake) => sum + stake, 0n));
    if (2n * denied! > total!) throw new ContradictionError(last.height, "most of the stake has another one than this node took from it");
  }

  /** Asks one validator, a different one each time. */
  async #hasMore(last: AcceptedPlace): Promise<boolean> {
    const { network, voters, random = randomBelow } = this.#options;
    const connected = [...(await voters()).keys()].filter((nodeId) => network.isConnected(nodeId));
    if (connected.length === 0) return false;
    const nodeId = connected[Number(random(BigInt(connected.length)))]!;
    const height = (await this.#query(nodeId, last, last.height + 1n))?.acceptedHeight;
    return height !== undefined && height > last.height;
  }

  /** Several polls in a row. Far behind, the first one says how far the quorum is, and the others are about that block. */
  async #confirm(last: AcceptedPlace, signal: AbortSignal): Promise<AcceptedPlace | undefined> {
    let [height, containerId, agreed] = [last.height + 1n, undefined as Id | undefined, 0];
    for (let isFirst = true; agreed < POLLS && !signal.aborted; isFirst = false) {
      const poll = await this.#poll(last, height);
      if (poll.accepted === undefined) return undefined;
      if (isFirst && poll.height !== undefined && poll.height > height) {
        height = poll.height;
        continue;
      }
      if (containerId !== undefined && poll.accepted !== containerId)
        throw new ContradictionError(height, "two blocks have three quarters of a sample each");
      containerId = poll.accepted;
      agreed++;
    }
    return containerId === undefined || signal.aborted ? undefined : { containerId, height };
  }

  /** Ends as soon as the answers that are missing cannot change it. */
  async #poll(last: AcceptedPlace, height: bigint): Promise<Poll> {
    const { voters, random } = this.#options;
    const sample = new StakeSampler(await voters(), random).draw(SAMPLE_UNITS);
    const votes = new Map<Id, number>();
    const heights: bigint[] = [];
    let missing = [...sample.values()].reduce((sum, units) => sum + units, 0);
    return new Promise((resolve, reject) => {
      const end = () => {
        const accepted = [...votes].find(([, units]) => units >= QUORUM_UNITS)?.[0];
        const most = Math.max(0, ...votes.values());
        if (accepted === undefined && most + missing >= QUORUM_UNITS) return;
        resolve({ accepted, height: heights.sort((a, b) => (a > b ? -1 : a < b ? 1 : 0))[QUORUM_UNITS - 1] });
      };
      const ask = async ([nodeId, units]: readonly [NodeId, number]) => {
        const chits = await this.#query(nodeId, last, height);
        missing -= units;
        if (chits !== undefined) {
          for (let i = 0; i < units; i++) heights.push(chits.acceptedHeight);
          const { idAtHeight } = chits;
          if (chits.acceptedHeight >= height && idAtHeight !== undefined) votes.set(idAtHeight, (votes.get(idAtHeight) ?? 0) + units);
        }
        end();
      };
      Promise.all([...sample].map(ask)).then(end, reject);
    });
  }

  async #query(nodeId: NodeId, last: AcceptedPlace, requestedHeight: bigint) {
    const { network, chainId } = this.#options;
    const members = { containerId: Buffer.from(last.containerId, "hex"), requestedHeight };
    const chits = await network.request(nodeId, { kind: "pullQuery", chainId, members }).catch(() => undefined);
    if (chits === undefined) return undefined;
    const idAtHeight = chits.preferredIdAtHeight.length === 32 ? Buffer.from(chits.preferredIdAtHeight).toString("hex") : undefined;
    return { acceptedHeight: chits.acceptedHeight, idAtHeight };
  }
}
