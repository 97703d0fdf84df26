/** Checks of the recording `p-eras-old`: blocks, refused blocks, siblings, states and validator sets of the P-chain before Durango. */

import { readdirSync } from "node:fs";
import { platformTypeNames } from "../../../src/api/rpc/platform/issue-tx.ts";
import { parseId } from "../../../src/base/bytes/cb58.ts";
import type { Id } from "../../../src/base/bytes/id.ts";
import { CodecError } from "../../../src/base/codec/error.ts";
import { codecErrorText } from "../../../src/base/codec/error-text.ts";
import { RuleError } from "../../../src/network/execution.ts";
import { type CheckResult, check, difference } from "../check.ts";
import { bytesOf, readJson, readLines } from "../json-lines.ts";
import { PlatformReplay } from "./platform-replay.ts";
import { recordedNetwork } from "./recorded-network.ts";
import { dumpState, type RecordedState, sortedState, validatorSetJson } from "./state-dump.ts";

interface BlockLine {
  height: number;
  id: string;
  bytes: string;
  acceptedAt: number;
  stateHeightAfter: number;
  chainTimeAfter: number;
}

/** A block tried on a tip. */
export interface TriedBlock {
  atHeight: number;
  label: string;
  clock: number;
  bytes: string;
  stage: "parse" | "verify";
  error: string;
}

interface SharedLine {
  by: "P" | "X" | "C";
  afterHeight: number;
  key: string;
  value: string;
  traits: string[];
}

interface Checkpoint {
  label: string;
  height: number;
  state: RecordedState;
}

interface ValidatorsLine {
  height: number;
  subnetID: string;
  validators: { nodeID: string }[];
}

/** What a test compares: which part, what for, what was and what should have been. */
export type Compare = (
  part: "block" | "refused" | "sibling" | "state" | "validators",
  name: string,
  actual: unknown,
  expected: unknown,
) => void;

interface Options {
  level?: "full" | "replay";
  /** start again from the rows before each checkpoint, where no proposal waits for its option */
  restarts?: boolean;
}

/** A block stands where the table of names expects a transaction. */
const blockTypeNames = {
  ...platformTypeNames,
  interfaceName: (path: string) => (path === "" ? "block.Block" : platformTypeNames.interfaceName(path)),
};

/** The chain manager of the recording was a stub with a text of its own for a chain that does not exist. */
const STUB_TEXT = /failed to get the subnet of chain ("\w+")/;

function recordedError({ stage, error }: TriedBlock) {
  return { stage, error: error.replace(STUB_TEXT, "problem retrieving blockchain $1: not found") };
}

/** The same as results of checks, at level `full`. */
export function checkOldEras(folder: string): CheckResult[] {
  const results: CheckResult[] = [];
  replayOldEras(folder, (part, name, actual, expected) => {
    results.push(check(`${part} ${name}`, difference(textOf(actual), textOf(expected))));
  });
  return results;
}

/** Members in alphabetical order: their order is no part of a state. */
function textOf(value: unknown): string {
  if (typeof value === "string" || value === undefined) return `${value}`;
  return JSON.stringify(value, (_, member: unknown) => {
    if (typeof member === "bigint") return `${member}`;
    if (typeof member !== "object" || member === null || Array.isArray(member)) return member;
    return Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}

export function replayOldEras(folder: string, compare: Compare, { level = "full", restarts = false }: Options = {}): void {
  const network = recordedNetwork(folder);
  const replay = new PlatformReplay(network);
  const refused = grouped(readLines<TriedBlock>(folder, "rejected.jsonl"), ({ atHeight }) => atHeight);
  const siblings = grouped(readLines<TriedBlock>(folder, "siblings.jsonl"), ({ atHeight }) => atHeight);
  const shared = grouped(
    [...readLines<SharedLine>(folder, "sharedmemory.jsonl")].filter(({ by }) => by !== "P"),
    ({ afterHeight }) => afterHeight,
  );
  const checkpoints = grouped(readCheckpoints(folder), ({ height }) => height);
  const sets = grouped(readLines<ValidatorsLine>(folder, "validators.jsonl"), ({ height }) => height);
  const sources: Record<string, Id> = { X: network.xChainId, C: network.cChainId };

  for (const line of readLines<BlockLine>(folder, "blocks/P.jsonl")) {
    if (line.height > 0) {
      const text = attempt(() => replay.execute(bytesOf(line.bytes), { level, clock: BigInt(line.acceptedAt) }));
      compare("block", `${line.height}`, text, undefined);
      if (text !== undefined) return;
    }
    const { height } = replay.chain.state.scalars;
    for (const { by, key, value, traits } of shared.get(line.height) ?? []) {
      replay.share(sources[by]!, { key: parseId(key), bytes: bytesOf(value), traits });
    }
    for (const checkpoint of checkpoints.get(line.height) ?? []) {
      if (restarts && height === BigInt(line.height)) replay.reload();
      compareStates(replay, checkpoint, compare);
    }
    if (height === BigInt(line.height)) {
      for (const { subnetID, validators } of sets.get(line.height) ?? []) {
        const expected = validators.toSorted((a, b) => (a.nodeID < b.nodeID ? -1 : 1));
        compare("validators", `${line.height} ${subnetID}`, validatorSetJson(replay.chain.state.members(parseId(subnetID))), expected);
      }
    }
    if (level === "replay") continue;
    for (const tried of siblings.get(line.height) ?? []) compare("sibling", nameOf(tried), refusal(replay, tried), undefined);
    for (const tried of refused.get(line.height) ?? []) {
      compare("refused", nameOf(tried), refusal(replay, tried), recordedError(tried));
    }
  }
  compareEveryHeight(replay, sets, compare);
}

/** At the end, every set of the past is told from the changes since. */
function compareEveryHeight(replay: PlatformReplay, sets: ReadonlyMap<number, ValidatorsLine[]>, compare: Compare): void {
  const { chain } = replay;
  const latest = new Map<string, { nodeID: string }[]>();
  for (let height = 0n; height <= chain.state.scalars.height; height++) {
    for (const { subnetID, validators } of sets.get(Number(height)) ?? []) latest.set(subnetID, validators);
    for (const [subnetId, validators] of latest) {
      const expected = validators.toSorted((a, b) => (a.nodeID < b.nodeID ? -1 : 1));
      compare("validators", `${height} ${subnetId} later`, validatorSetJson(chain.validatorSets.at(parseId(subnetId), height)), expected);
    }
  }
}

function compareStates(replay: PlatformReplay, checkpoint: Checkpoint, compare: Compare): void {
  const actual = dumpState(replay.chain, replay.view, replay.rows);
  const expected = sortedState(checkpoint.state);
  for (const member of Object.keys(expected) as (keyof RecordedState)[]) {
    compare("state", `${checkpoint.height} (${checkpoint.label}) ${member}`, actual[member], expected[member]);
  }
}

function refusal(replay: PlatformReplay, tried: TriedBlock) {
  return attempt(() => replay.verify(bytesOf(tried.bytes), { level: "full", clock: BigInt(tried.clock) }));
}

/** The node's text and stage of a refusal; undefined if there is none. */
function attempt(run: () => void): { stage: string; error: string } | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    if (error instanceof CodecError) return { stage: "parse", error: codecErrorText(error, blockTypeNames) };
    if (error instanceof RuleError) return { stage: "verify", error: error.message };
    throw error;
  }
}

function nameOf({ atHeight, label }: TriedBlock): string {
  return `on ${atHeight}: ${label}`;
}

function* readCheckpoints(folder: string): Generator<Checkpoint> {
  for (const file of readdirSync(`${folder}/checkpoints`).sort()) {
    yield readJson<Checkpoint>(folder, `checkpoints/${file.replace(/\.gz$/, "")}`);
  }
}

function grouped<T>(values: Iterable<T>, keyOf: (value: T) => number): Map<number, T[]> {
  const groups = new Map<number, T[]>();
  for (const value of values) {
    const key = keyOf(value);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [value]);
    else group.push(value);
  }
  return groups;
}
