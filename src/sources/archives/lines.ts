/** Parses a line of a recording to an item. The three forms of block lines are distinguished by their members. */
import { parseId } from "../../base/bytes/cb58.ts";
import { decodeHex } from "../../base/bytes/hex.ts";
import type { Id, ShortId } from "../../base/bytes/id.ts";
import { FirnError } from "../../base/errors/errors.ts";
import { type BlockItem, parseAcceptedAt, type SharedMemoryOperation, type VertexItem } from "../source.ts";
import type { Line } from "./folder.ts";

const ADDRESS = /^[0-9a-f]{40}$/;
const NO_BYTES = new Uint8Array(0);

type Members = Readonly<Record<string, unknown>>;

/** undefined for height 0, which is made from genesis, and for blocks up to `skipTo`. */
export function blockItem(line: Line, chainId: Id, skipTo: bigint): BlockItem | undefined {
  return readLine(line, (members) => {
    const height = heightOf(members.height, "height");
    if (height <= skipTo || height === 0n) return undefined;
    const acceptedAt = parseAcceptedAt(members.acceptedAt);
    const item = {
      kind: "block",
      chainId,
      height,
      id: blockId(members),
      container: container(members),
      acceptedAt,
      origin: line.origin,
    } as const;
    return members.containerID === null ? { ...item, isHeaderUnknown: true } : item;
  });
}

/** @param acceptedAt given, because vertices have no time of acceptance */
export function vertexItem(
  line: Line,
  { chainId, sequence, acceptedAt }: Pick<VertexItem, "chainId" | "sequence" | "acceptedAt">,
): VertexItem {
  return readLine(line, (members) => ({
    kind: "vertex",
    chainId,
    sequence,
    id: parseId(text(members, "id")),
    bytes: decodeHex(text(members, "bytes"), { checksum: false }),
    acceptedAt,
    origin: line.origin,
  }));
}

interface SharedMemoryLine {
  /** short names of the chain that made the operation and of the chain it shares the memory with */
  readonly by: string;
  readonly peer: string;
  /** height of the peer's last block before it; absent: before all */
  readonly afterHeight: bigint;
  readonly operation: (peerId: Id) => SharedMemoryOperation;
}

export function sharedMemoryLine(line: Line): SharedMemoryLine {
  return readLine(line, (members) => {
    const key = parseId(text(members, "key"));
    const kind = text(members, "op");
    if (kind !== "put" && kind !== "remove") throw new TypeError(`op is ${kind}; it needs put or remove`);
    const value = kind === "put" ? decodeHex(text(members, "value"), { checksum: false }) : NO_BYTES;
    const traits = traitsOf(members.traits ?? []);
    return {
      by: text(members, "by"),
      peer: text(members, "peer"),
      afterHeight: heightOf(members.afterHeight ?? 0, "afterHeight"),
      operation(peerId) {
        if (kind === "remove") return { kind, peerId, key };
        return { kind, peerId, key, bytes: value, traits };
      },
    };
  });
}

function traitsOf(value: unknown): readonly ShortId[] {
  if (Array.isArray(value) && value.every((trait) => typeof trait === "string" && ADDRESS.test(trait))) return value;
  throw new TypeError(`traits is ${JSON.stringify(value)}; it needs a list of addresses of 20 bytes in hex`);
}

function container(members: Members): Uint8Array {
  if ((members.container ?? null) === null) return decodeHex(text(members, "bytes"), { checksum: false });
  const encoded = text(members, "container");
  if (encoded.startsWith("0x")) return decodeHex(encoded, { checksum: false });
  const bytes = Buffer.from(encoded, "base64");
  if (bytes.toString("base64") !== encoded) throw new TypeError("container is neither hex nor base64");
  return bytes;
}

/** The container's ID if the line has it, otherwise the block's. It is null where it is not known. */
function blockId(members: Members): Id {
  return parseId(text(members, (members.containerID ?? null) === null ? "id" : "containerID"));
}

function heightOf(value: unknown, name: string): bigint {
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) return BigInt(value);
  throw new TypeError(`${name} is ${JSON.stringify(value)}; it needs a whole number`);
}

function text(members: Members, name: string): string {
  const value = members[name];
  if (typeof value !== "string")
    throw new TypeError(`${name} is ${value === undefined ? "missing" : JSON.stringify(value)}; it needs a text`);
  return value;
}

/** Adds file and line to any error. */
function readLine<T>(line: Line, read: (members: Members) => T): T {
  try {
    const members: unknown = JSON.parse(line.text);
    if (typeof members !== "object" || members === null) throw new TypeError("the line is not a JSON object");
    return read(members as Members);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    throw new FirnError("archive-line", `${line.origin}: ${error.message}`, { origin: line.origin }, { cause: error });
  }
}
