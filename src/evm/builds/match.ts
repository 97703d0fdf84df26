/** Whether deployed code is what a compiler made, and whether the code itself names the sources. */
import { keccak256Hex, sha256, sha256Hex } from "../../base/bytes/hash.ts";
import { type Build, type BuildDetails, type CodeRange, parseMetadata } from "./build-file.ts";

/**
 * `full`: the code is the build's and names the hash of its metadata, which has the ABI and the hashes of the sources. `code`: the code that runs
 * is the build's; nothing but the build file says that its sources and its ABI belong to it.
 */
export type Match = "full" | "code";

/** The code without what compilers append, which is not run: `end = body ++ CBOR ++ u16 length of the CBOR`. */
function bodyOf(code: Buffer): Buffer {
  if (code.length < 2) return code;
  const length = code.readUInt16BE(code.length - 2);
  const start = code.length - 2 - length;
  // CBOR of a map with few members, or Vyper's list
  const isAppended = length > 0 && start > 0 && [0xa1, 0xa2, 0xa3, 0xa4, 0x83, 0x84, 0x85].includes(code[start]!);
  return isAppended ? code.subarray(0, start) : code;
}

/** Names code for a look-up: equal if it may be the same but for unknown parts. */
export function bodyLength(code: Buffer): number {
  return bodyOf(code).length;
}

/** Identifies the code that runs, whatever the unknown parts are. */
export function bodyHash(code: Buffer, unknown: readonly CodeRange[]): string {
  const masked = Buffer.from(bodyOf(code));
  // a build may say that what compilers append is unknown, too
  for (const { start, length } of unknown) masked.subarray(start, start + length).fill(0);
  return sha256Hex(masked);
}

export function matchOf(code: Buffer, build: Build): Match | undefined {
  if (bodyLength(code) !== bodyLength(build.code)) return undefined;
  if (bodyHash(code, build.unknown) !== bodyHash(build.code, [])) return undefined;
  return isProven(code, build) ? "full" : "code";
}

/** CBOR: the text "ipfs", then 34 bytes */
const IPFS = Buffer.from("64697066735822", "hex");
const MULTIHASH_BYTES = 34;

function isProven(code: Buffer, { metadata, details }: Build): boolean {
  if (metadata === undefined) return false;
  const appended = code.subarray(bodyLength(code));
  const at = appended.indexOf(IPFS);
  if (at === -1) return false;
  const named = appended.subarray(at + IPFS.length, at + IPFS.length + MULTIHASH_BYTES);
  const multihash = ipfsMultihash(Buffer.from(metadata));
  if (multihash === undefined || !named.equals(multihash)) return false;
  const hashes = Object.entries(parseMetadata(metadata)?.sources ?? {});
  const contents = new Map(details().sources.map(({ path, content }) => [path, content]));
  return (
    hashes.length > 0 &&
    hashes.length === contents.size &&
    hashes.every(([path, source]) => isHashOf(source?.keccak256, contents.get(path)))
  );
}

function isHashOf(hash: unknown, content: string | undefined): boolean {
  return content !== undefined && hash === `0x${keccak256Hex(Buffer.from(content))}`;
}

/** A longer file is cut into parts, each with a hash of its own; compilers' metadata is not that long. */
const MOST_FILE_BYTES = 256 * 1024;
const [RAW_CODEC, DATA_FIELD, SIZE_FIELD] = [Buffer.from("0802", "hex"), 0x12, 0x18];

/**
 * The SHA-256 multihash of a file in IPFS, as `ipfs add` computes it: of a DAG-PB node without links, whose data are a UnixFS file.
 * undefined: the file is too long for that
 */
export function ipfsMultihash(file: Buffer): Buffer | undefined {
  if (file.length > MOST_FILE_BYTES) return undefined;
  const size = varint(file.length);
  const unixFs = Buffer.concat([RAW_CODEC, Buffer.from([DATA_FIELD]), size, file, Buffer.from([SIZE_FIELD]), size]);
  const node = Buffer.concat([Buffer.from([0x0a]), varint(unixFs.length), unixFs]);
  return Buffer.concat([Buffer.from([0x12, 0x20]), sha256(node)]);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 0x7f; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80);
  return Buffer.from([...bytes, rest]);
}

/** The ABI that the code proves, or else the build file's. */
export function abiOf({ abi }: BuildDetails, { metadata }: Pick<Build, "metadata">, match: Match): string {
  const proven = match === "full" ? parseMetadata(metadata)?.output?.abi : undefined;
  return proven === undefined ? abi : JSON.stringify(proven);
}
