/** A recorded network as it was at certain heights, served, and its keys. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as avalanchejs from "@avalabs/avalanchejs";
import type { Serving } from "../../src/server/serve.ts";
import { importUntil, serveAt } from "../conformance/checkpoints.ts";
import { readJson, readLines } from "../conformance/json-lines.ts";
import { recordingFolder } from "../conformance/recordings.ts";
import { type Account, type Anything, Wallet } from "./wallet.ts";

const { utils }: Anything = avalanchejs;
const folder = recordingFolder("latest-1");

interface RecordedKey {
  readonly name: string;
  readonly hex: string;
  readonly pAddr: string;
  readonly evmAddr: string;
}

export const accounts: Readonly<Record<string, Account>> = Object.fromEntries(
  readJson<{ keys: RecordedKey[] }>(folder, "network.json").keys.map(({ name, hex, pAddr, evmAddr }) => [
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

export function account(name: string): Account {
  const found = accounts[name];
  if (found === undefined) throw new Error(`no key is named ${name}`);
  return found;
}

/** The three owners of the recording's outputs that take several signatures. */
export const partners = ["k10", "k11", "k12"].map(account);

export interface ServedNetwork {
  readonly wallet: Wallet;
  readonly serving: Serving;
  stop(): Promise<void>;
}

/** The clock stands where the last of the P-chain's blocks was accepted. */
export async function networkAt(heights: { readonly P: number; readonly X: number; readonly C: number }): Promise<ServedNetwork> {
  const directory = mkdtempSync(join(tmpdir(), "firn-wallet-"));
  await importUntil(folder, directory, heights, "replay");
  const serving = await serveAt(directory, acceptedAt(heights.P));
  const wallet = await Wallet.open(serving.url, account("k00"));
  return {
    wallet,
    serving,
    async stop() {
      await serving.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

function acceptedAt(height: number): bigint {
  for (const block of readLines<{ height: number; acceptedAt: string }>(folder, "blocks/P.jsonl")) {
    if (block.height === height) return BigInt(Math.floor(Date.parse(block.acceptedAt) / 1000));
  }
  throw new Error(`no block at height ${height}`);
}
