/** Reads what the checks of asset chains need from a recording folder: network, genesis, blocks, and lines of its files. */
import { existsSync } from "node:fs";
import type { Id } from "../../../src/base/bytes/id.ts";
import { parseGenesis } from "../../../src/chains/platform/genesis/genesis.ts";
import type { NetworkInstance } from "../../../src/network/network.ts";
import { unwrapBlock } from "../../../src/network/proposervm.ts";
import { bytesOf, readText } from "../json-lines.ts";
import { recordedNetwork } from "../platform/recorded-network.ts";

export interface Recording {
  readonly folder: string;
  readonly network: NetworkInstance;
  readonly assetGenesis: { readonly fxIds: readonly Id[]; readonly bytes: Uint8Array };
}

export function openRecording(folder: string): Recording {
  const network = recordedNetwork(folder);
  const created = parseGenesis(network.genesisBytes).chains.find(({ id }) => id === network.xChainId)!;
  if (created.unsigned.kind !== "CreateChainTx") throw new TypeError("the X-chain is made by a CreateChainTx");
  const { fxIds, genesisData } = created.unsigned;
  return { folder, network, assetGenesis: { fxIds, bytes: genesisData } };
}

/** Lines of a JSON file that may be gzipped; none if there is no such file. u64 members survive as text, see `recordedJson`. */
export function readLines(folder: string, name: string): string[] {
  if (!hasFile(folder, name)) return [];
  return readText(folder, name)
    .split("\n")
    .filter((line) => line !== "");
}

export function hasFile(folder: string, name: string): boolean {
  return existsSync(`${folder}/${name}`) || existsSync(`${folder}/${name}.gz`);
}

/** Hex as the node's API gives it, with four checksum bytes at the end. */
export function fromChecksummedHex(text: string): Buffer {
  return bytesOf(text).subarray(0, -4);
}

/** The text of a member's JSON value as it was recorded: parsing it would round amounts. The member must be the object's last but `after`. */
export function recordedJson(line: string, member: string): string {
  const start = line.indexOf(`"${member}":`) + member.length + 3;
  let depth = 0;
  for (let at = start; ; at++) {
    if (line[at] === '"') at = endOfString(line, at);
    else if (line[at] === "{" || line[at] === "[") depth++;
    else if ((line[at] === "}" || line[at] === "]") && --depth === 0) return line.slice(start, at + 1);
  }
}

function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
  return at;
}

export interface RecordedBlock {
  readonly line: string;
  readonly height: bigint;
  readonly bytes: Buffer;
}

/** Linear blocks in order, without their wrapper. */
export function assetBlocks(folder: string): RecordedBlock[] {
  const lines = readLines(folder, "blocks/X.jsonl");
  if (lines.length > 0) return lines.map(readWrappedBlock);
  return readLines(folder, "blocks.jsonl").map((line) => {
    const { bytes, height } = JSON.parse(line) as { bytes: string; height: number };
    return { line, height: BigInt(height), bytes: bytesOf(bytes) };
  });
}

function readWrappedBlock(line: string): RecordedBlock {
  const { bytes, container, height } = JSON.parse(line) as { bytes?: string; container?: string; height: number };
  if (bytes !== undefined) return { line, height: BigInt(height), bytes: fromChecksummedHex(bytes) };
  const { inner } = unwrapBlock(Buffer.from(container!, "base64"), () => true);
  return { line, height: BigInt(height), bytes: Buffer.from(inner) };
}
