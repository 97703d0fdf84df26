/** Reads what the checks of asset chains need from a recording folder: network, genesis, blocks, refused transactions. */
import { existsSync, readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import type { NetworkInstance } from "../../../src/network/network.ts";
import { parseNetworkFile } from "../../../src/network/network-file.ts";
import { unwrapBlock } from "../../../src/network/proposervm.ts";
import { parseId } from "../../../src/primitives/cb58.ts";
import { sha256Hex } from "../../../src/primitives/hash.ts";
import { type Id, nameId } from "../../../src/primitives/id.ts";

export interface Recording {
  readonly folder: string;
  readonly network: NetworkInstance;
  readonly assetGenesis: { readonly fxIds: readonly Id[]; readonly bytes: Uint8Array };
}

export function openRecording(folder: string): Recording {
  const file = JSON.parse(readText(folder, "network.json")!) as { avaxAssetID: string; chainIDs: Record<string, string> };
  const genesisBytes = fromHex(readText(folder, "genesis-P.hex")!.trim());
  const network = {
    ...parseNetworkFile(file),
    genesisBytes,
    genesisId: sha256Hex(genesisBytes),
    xChainId: parseId(file.chainIDs.X!),
    cChainId: parseId(file.chainIDs.C!),
    avaxAssetId: parseId(file.avaxAssetID),
  };
  return { folder, network, assetGenesis: assetGenesis(genesisBytes) };
}

/** The X-chain's CreateChainTx within the P genesis: fxIDs and genesis follow the VM's ID. */
function assetGenesis(genesis: Buffer): Recording["assetGenesis"] {
  const count = genesis.indexOf(nameId("avm"), 0, "hex") + 32;
  const fxIds = Array.from({ length: genesis.readUInt32BE(count) }, (_, i) =>
    genesis.toString("hex", count + 4 + 32 * i, count + 36 + 32 * i),
  );
  const length = count + 4 + 32 * fxIds.length;
  return { fxIds, bytes: genesis.subarray(length + 4, length + 4 + genesis.readUInt32BE(length)) };
}

/** Lines of a JSON file that may be gzipped; none if there is no such file. u64 members survive as text, see `recordedJson`. */
export function readLines(folder: string, name: string): string[] {
  return (readText(folder, name) ?? "").split("\n").filter((line) => line !== "");
}

export function readText(folder: string, name: string): string | undefined {
  const path = `${folder}/${name}`;
  if (existsSync(path)) return readFileSync(path, "utf8");
  return existsSync(`${path}.gz`) ? gunzipSync(readFileSync(`${path}.gz`)).toString("utf8") : undefined;
}

export function fromHex(text: string): Buffer {
  return Buffer.from(text.replace(/^0x/, ""), "hex");
}

/** Hex as the node's API gives it, with four checksum bytes at the end. */
export function fromChecksummedHex(text: string): Buffer {
  return fromHex(text).subarray(0, -4);
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
    return { line, height: BigInt(height), bytes: fromHex(bytes) };
  });
}

function readWrappedBlock(line: string): RecordedBlock {
  const { bytes, container, height } = JSON.parse(line) as { bytes?: string; container?: string; height: number };
  if (bytes !== undefined) return { line, height: BigInt(height), bytes: fromChecksummedHex(bytes) };
  const { inner } = unwrapBlock(Buffer.from(container!, "base64"), () => true);
  return { line, height: BigInt(height), bytes: Buffer.from(inner) };
}
