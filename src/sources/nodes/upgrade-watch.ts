/**
 * Asks nodes now and then which upgrades their network has (`info.upgrades`). Blocks from an upgrade on that Firn does not know, or expects at
 * another time, cannot be executed right: they are not delivered.
 */

import { FirnError } from "../../base/errors/errors.ts";
import { pause } from "../../base/work/pause.ts";
import { formatTime, timeIn } from "../../network/go-time.ts";
import { type NetworkInstance, UPGRADE_NAMES } from "../../network/network.ts";
import { UNSCHEDULED } from "../../network/presets.ts";
import { unwrapBlock } from "../../network/proposervm.ts";
import type { BlockItem } from "../source.ts";
import type { Upstreams } from "../upstream/upstream-rpc.ts";
import { type BlockHead, headReader } from "./chain-reader.ts";
import type { LiveItem } from "./merge-feeds.ts";

const ASK_EVERY_MS = 3_600_000;
const ASK_AGAIN_MS = 3_000;
const MEMBER = /^(\w+)Time$/;

/** The first upgrade about which nodes and Firn disagree. */
interface Disagreement {
  /** Unix seconds; blocks from then on are not executed */
  readonly time: bigint;
  readonly sentence: string;
}

/** @param answer of `info.upgrades`; what is no time in it is left out */
export function disagreementOf(answer: unknown, { upgrades }: Pick<NetworkInstance, "upgrades">): Disagreement | undefined {
  const known: Readonly<Record<string, bigint>> = upgrades.times;
  const told = Object.entries((answer ?? {}) as object).flatMap(([member, value]): [string, bigint][] => {
    const name = MEMBER.exec(member)?.[1];
    const time = name === undefined ? undefined : timeIn(value);
    return name === undefined || time === undefined || time === (known[name] ?? UNSCHEDULED) ? [] : [[name, time]];
  });
  const differing = told.map(([name, time]) => ({ name, time, expected: known[name] ?? UNSCHEDULED }));
  const [first] = differing.sort((a, b) => (startOf(a) < startOf(b) ? -1 : 1));
  return first && { time: startOf(first), sentence: sentenceOf(first) };
}

interface Differing {
  readonly name: string;
  readonly time: bigint;
  readonly expected: bigint;
}

/** From the earlier of both times on, nodes and Firn follow different rules. */
function startOf({ time, expected }: Differing): bigint {
  return [time, expected].sort((a, b) => (a < b ? -1 : 1))[0]!;
}

function sentenceOf({ name, time, expected }: Differing): string {
  const at = `the network's nodes activate ${name} at ${formatTime(time)}`;
  const isKnown = (UPGRADE_NAMES as readonly string[]).includes(name);
  if (!isKnown) return `${at}, an upgrade that this Firn does not know; install a version that knows it, which continues with this store`;
  const ours = expected === UNSCHEDULED ? "as not scheduled" : `at ${formatTime(expected)}`;
  return `${at}, and this Firn has it ${ours}; install a version that has the right time, or correct the file of --network`;
}

interface UpgradeWatchOptions {
  readonly network: NetworkInstance;
  readonly rpc: Upstreams;
  /** ends it */
  readonly signal: AbortSignal;
}

export class UpgradeWatch {
  readonly #options: UpgradeWatchOptions;
  /** the nodes were asked once, whether they told or not */
  readonly asked: Promise<boolean>;
  /** ends when it was told to */
  readonly ended: Promise<void>;
  #disagreement: Disagreement | undefined;

  constructor(options: UpgradeWatchOptions) {
    this.#options = options;
    this.asked = this.#ask();
    this.ended = this.#askAgain();
  }

  /** Nodes that do not tell, or that contradict Firn, are asked again soon. */
  async #askAgain(): Promise<void> {
    const { signal } = this.#options;
    for (let isTold = await this.asked; !signal.aborted; ) {
      // one wrong answer does not stop a follower for long
      await pause(isTold && this.#disagreement === undefined ? ASK_EVERY_MS : ASK_AGAIN_MS, signal);
      if (!signal.aborted) isTold = await this.#ask();
    }
  }

  async #ask(): Promise<boolean> {
    const { network, rpc, signal } = this.#options;
    const [outcome] = await rpc.requestAll([{ method: "info.upgrades", params: {}, path: "/ext/info" }], { signal });
    if (outcome === undefined || "error" in outcome) return false;
    this.#disagreement = disagreementOf(outcome.result, network);
    return true;
  }

  /** The leading part of a run that can be executed. Throws if there is none. */
  executable(run: readonly LiveItem[]): readonly LiveItem[] {
    const disagreement = this.#disagreement;
    if (disagreement === undefined) return run;
    const end = run.findIndex((item) => item.kind === "block" && (headOf(item, this.#options.network).time ?? 0n) >= disagreement.time);
    if (end === 0) throw new FirnError("source-upgrade", disagreement.sentence);
    return end === -1 ? run : run.slice(0, end);
  }
}

function headOf({ chainId, container }: BlockItem, network: NetworkInstance): BlockHead {
  const read = headReader(chainId, network);
  let head: BlockHead | undefined;
  const isInner = (bytes: Uint8Array): boolean => {
    try {
      head = read(bytes);
      return true;
    } catch (error) {
      if (error instanceof FirnError) return false;
      throw error;
    }
  };
  unwrapBlock(container, isInner);
  return head ?? read(container);
}
