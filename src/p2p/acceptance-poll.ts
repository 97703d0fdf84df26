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
const QUORUM_UNITS = 15n;
/** Polls in a row that name the same block. A third of the stake that lies succeeds once in 2 × 10¹¹ heights. */
const POLLS = 3;
const LOOK_EVERY_MS = 250;
/** for which answers are waited for */
const POLL_MS = 1_000;
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
  /** milliseconds for which answers are waited for; default 1,000 */
  readonly pollMs?: number;
  readonly random?: RandomBelow;
}

/** What those who were asked say about one height. */
interface Tally {
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
  /** validators who did not answer in time when they were asked last */
  readonly #late = new Set<NodeId>();
  #isStalled = false;
  #auditedAt = Number.NEGATIVE_INFINITY;
  #contradiction: ContradictionError | undefined;

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

  /** Now and then asks all validators. A contradiction ends the following, also one that comes out later. */
  async #auditNowAndThen(last: AcceptedPlace): Promise<void> {
    this.#throwContradiction();
    if (performance.now() - this.#auditedAt < AUDIT_EVERY_MS || last.height === 0n) return;
    const voters = await this.#options.voters();
    if (voters.size === 0) return;
    this.#auditedAt = performance.now();
    const ending = new AbortController();
    const audit = this.#audit(last, voters).finally(() => ending.abort());
    await Promise.race([audit, pause(this.#options.pollMs ?? POLL_MS, ending.signal)]);
    this.#throwContradiction();
  }

  /** Whoever tries again asks all again. */
  #throwContradiction(): void {
    const contradiction = this.#contradiction;
    if (contradiction === undefined) return;
    this.#contradiction = undefined;
    this.#auditedAt = Number.NEGATIVE_INFINITY;
    throw contradiction;
  }

  /** Notes a contradiction if most of the stake has another block at this height. */
  async #audit(last: AcceptedPlace, voters: Voters): Promise<void> {
    let [denied, total] = [0n, 0n];
    const ask = async ([nodeId, stake]: readonly [NodeId, bigint]) => {
      total += stake;
      const chits = await this.#query(nodeId, last, last.height);
      if (chits !== undefined && chits.acceptedHeight >= last.height && chits.idAtHeight !== last.containerId) denied += stake;
    };
    await Promise.all([...voters].map(ask));
    if (2n * denied <= total) return;
    this.#contradiction = new ContradictionError(last.height, "most of the stake has another one than this node took from it");
  }

  /** Asks one validator, a different one each time. */
  async #hasMore(last: AcceptedPlace): Promise<boolean> {
    const { network, voters, random = randomBelow } = this.#options;
    const connected = [...(await voters()).keys()].filter((nodeId) => network.isConnected(nodeId));
    const prompt = connected.filter((nodeId) => !this.#late.has(nodeId));
    const able = prompt.length > 0 ? prompt : connected;
    if (able.length === 0) return false;
    const nodeId = able[Number(random(BigInt(able.length)))]!;
    const { height } = await this.#tally(new Map([[nodeId, 1n]]), 1n, last, last.height + 1n);
    return height !== undefined && height > last.height;
  }

  /**
   * Several samples in a row. Far behind, the first one says how far the quorum is, and the others are about that block. Where too many are
   * silent for samples, all are asked: then more than two thirds of the stake must say the same.
   */
  async #confirm(last: AcceptedPlace, signal: AbortSignal): Promise<AcceptedPlace | undefined> {
    let [height, containerId, agreed] = [last.height + 1n, undefined as Id | undefined, 0];
    for (let isFirst = true; agreed < POLLS && !signal.aborted; isFirst = false) {
      const poll = await this.#sample(last, height);
      if (poll.accepted === undefined) {
        const { accepted } = await this.#census(last, height);
        return accepted === undefined || signal.aborted ? undefined : { containerId: accepted, height };
      }
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

  async #sample(last: AcceptedPlace, height: bigint): Promise<Tally> {
    const { voters, random } = this.#options;
    const drawn = new StakeSampler(await voters(), random).draw(SAMPLE_UNITS);
    return this.#tally(new Map([...drawn].map(([nodeId, units]) => [nodeId, BigInt(units)])), QUORUM_UNITS, last, height);
  }

  async #census(last: AcceptedPlace, height: bigint): Promise<Tally> {
    const voters = await this.#options.voters();
    const total = [...voters.values()].reduce((sum, stake) => sum + stake, 0n);
    return this.#tally(voters, (2n * total) / 3n + 1n, last, height);
  }

  /** Ends as soon as the answers that are missing cannot change it. Those who are too late have no vote, and are not waited for next time. */
  async #tally(asked: Voters, quorum: bigint, last: AcceptedPlace, height: bigint): Promise<Tally> {
    const votes = new Map<Id, bigint>();
    const heights: { readonly height: bigint; readonly weight: bigint }[] = [];
    const awaited = new Map([...asked].filter(([nodeId]) => !this.#late.has(nodeId)));
    let missing = [...awaited.values()].reduce((sum, weight) => sum + weight, 0n);
    const ending = new AbortController();
    let accepted: Id | undefined;
    const take = async ([nodeId, weight]: readonly [NodeId, bigint]) => {
      const chits = await this.#query(nodeId, last, height);
      if (chits !== undefined) this.#late.delete(nodeId);
      if (awaited.delete(nodeId)) missing -= weight;
      if (chits !== undefined) {
        heights.push({ height: chits.acceptedHeight, weight });
        const { idAtHeight } = chits;
        if (chits.acceptedHeight >= height && idAtHeight !== undefined) votes.set(idAtHeight, (votes.get(idAtHeight) ?? 0n) + weight);
      }
      accepted = [...votes].find(([, weight]) => weight >= quorum)?.[0];
      const most = [...votes.values()].reduce((greatest, weight) => (weight > greatest ? weight : greatest), 0n);
      if (accepted !== undefined || most + missing < quorum) ending.abort();
    };
    const all = Promise.all([...asked].map(take)).finally(() => ending.abort());
    await Promise.race([all, pause(this.#options.pollMs ?? POLL_MS, ending.signal)]);
    for (const nodeId of awaited.keys()) this.#late.add(nodeId);
    return { accepted, height: greatestOf(heights, quorum) };
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

/** The greatest height that so much weight has reached. */
function greatestOf(heights: { readonly height: bigint; readonly weight: bigint }[], quorum: bigint): bigint | undefined {
  let sum = 0n;
  for (const { height, weight } of heights.sort((a, b) => (a.height > b.height ? -1 : 1))) {
    sum += weight;
    if (sum >= quorum) return height;
  }
  return undefined;
}
