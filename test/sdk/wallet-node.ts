/** A served recorded network at certain heights, and its keys. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as avalanchejs from "@avalabs/avalanchejs";
import type { Serving } from "../../src/serve/serve.ts";
import { importUntil, serveAt } from "../conformance/checkpoints.ts";
import { bytesOf, readJson, readLines } from "../conformance/json-lines.ts";
import { type RecordingName, recordingFolder } from "../conformance/recordings.ts";
import { type Account, type Anything, contextOf, Wallet } from "./wallet.ts";

const { utils }: Anything = avalanchejs;
const folder = recordingFolder("latest-1");

interface RecordedKey {
  readonly name: string;
  readonly hex: string;
  readonly pAddr: string;
  readonly evmAddr: string;
}

/** By name. */
export const accountsOf = (recording: RecordingName): Readonly<Record<string, Account>> =>
  Object.fromEntries(
    readJson<{ keys: RecordedKey[] }>(recordingFolder(recording), "network.json").keys.map(({ name, hex, pAddr, evmAddr }) => [
      name,
      {
        name,
        text: pAddr.slice("P-".length),
        bytes: utils.bech32ToBytes(pAddr),
        evmBytes: utils.hexToBuffer(evmAddr),
        privateKey: utils.hexToBuffer(hex),
      },
    ]),
  );

const accounts = accountsOf("latest-1");

export function account(name: string): Account {
  const found = accounts[name];
  if (found === undefined) throw new Error(`no key is named ${name}`);
  return found;
}

/** The three owners of the recording's outputs that take several signatures. */
export const partners = ["k10", "k11", "k12"].map(account);

const byText = new Map(Object.values(accounts).map((each) => [each.text, each]));

/** Who signs for a thing of these owners: the first ones that have a key and are enough. */
export function authorization(addresses: readonly string[], threshold: number): { auth: number[]; authorizers: Account[] } {
  const owners = addresses.map((text) => byText.get(text));
  const auth = [...owners.keys()].filter((i) => owners[i] !== undefined).slice(0, threshold);
  return { auth, authorizers: auth.map((i) => owners[i]!) };
}

/** What the recorded wallet issued at that step, without checksum. */
export function issuedTx(label: string): Buffer {
  const steps = readLines<{ label: string; txID: string }>(folder, "steps.jsonl");
  const txId = [...steps].find((step) => step.label === label)!.txID;
  const { hex } = [...readLines<{ id: string; hex: string }>(folder, "txs/P.jsonl")].find(({ id }) => id === txId)!;
  return bytesOf(hex).subarray(0, -CHECKSUM_BYTES);
}
const CHECKSUM_BYTES = 4;

type Heights = Readonly<Record<"P" | "X" | "C", number>>;

export interface ServedNetwork {
  readonly wallet: Wallet;
  readonly serving: Serving;
  stop(): Promise<void>;
}

/** The clock stands where the last of the P-chain's blocks was accepted. */
export async function networkAt(heights: Heights, recording: RecordingName = "latest-1"): Promise<ServedNetwork> {
  const folder = recordingFolder(recording);
  const directory = mkdtempSync(join(tmpdir(), "firn-wallet-"));
  await importUntil(folder, directory, heights, "replay");
  const serving = await serveAt(directory, acceptedAt(folder, heights.P));
  const wallet = new Wallet(serving.url, await contextOf(serving.url, accountsOf(recording).k00!));
  return {
    wallet,
    serving,
    async stop() {
      await serving.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

function acceptedAt(folder: string, height: number): bigint {
  for (const block of readLines<{ height: number; acceptedAt: string }>(folder, "blocks/P.jsonl")) {
    if (block.height === height) return BigInt(Math.floor(Date.parse(block.acceptedAt) / 1000));
  }
  throw new Error(`no block at height ${height}`);
}

interface RecordedStaker {
  readonly name: string;
  readonly nodeID: string;
  readonly pop: { readonly publicKey: string; readonly proofOfPossession: string };
}

/** Nodes that the recording made up, with proofs that they own their keys. */
export const stakers: ReadonlyMap<string, RecordedStaker> = new Map(
  readJson<{ nodes: RecordedStaker[] }>(folder, "driver.json").nodes.map((node) => [node.name, node]),
);
