/** Messages of peers as bytes: protobuf in an envelope, which may be compressed (p2p.md 3 and 4). */
import { create, fromBinary, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { BinaryReader, WireType } from "@bufbuild/protobuf/wire";
import { MAX_FRAME_BYTES } from "./frames.ts";
import { type Envelope, EnvelopeSchema } from "./messages_pb.ts";
import { decompress } from "./zstd.ts";

export type PeerMessage = Exclude<Envelope["message"], { case: undefined } | { case: "compressed" }>;
export type MessageKind = PeerMessage["case"];
export type MessageOf<K extends MessageKind> = Extract<PeerMessage, { case: K }>["value"];
/** The members of a message that one sends; those that are left out are zero. */
export type SentMessage = Exclude<
  MessageInitShape<typeof EnvelopeSchema>["message"],
  undefined | { case: undefined } | { case: "compressed" }
>;

/** A message has at most 2,000 containers, 15 addresses or some hundred IDs. */
const MAX_FIELDS = 4096;
/** The longest have a Bloom filter of all validators, or 15 addresses with certificates. */
const MAX_PEERING_BYTES = 256 * 2 ** 10;
const PEERING_FIELDS: ReadonlySet<number> = new Set([11, 12, 13, 14, 35]);
const COMPRESSED = 2;

export function encodePeerMessage(message: SentMessage): Uint8Array {
  return toBinary(EnvelopeSchema, create(EnvelopeSchema, { message }));
}

/**
 * Returns undefined for a message that is not understood: of an unknown kind, damaged, compressed twice, or with more in it than messages
 * have. The network's nodes ignore such messages, too.
 */
export function decodePeerMessage(payload: Uint8Array): PeerMessage | undefined {
  try {
    return decode(payload, false);
  } catch {
    return undefined;
  }
}

function decode(payload: Uint8Array, wasCompressed: boolean): PeerMessage | undefined {
  if (!isWithinBounds(payload)) return undefined;
  const { message } = fromBinary(EnvelopeSchema, payload, { readUnknownFields: false });
  if (message.case === undefined) return undefined;
  if (message.case !== "compressed") return message;
  const inner = wasCompressed ? undefined : decompress(message.value, MAX_FRAME_BYTES);
  return inner && decode(inner, true);
}

/** Counts the fields before objects are made of them. An envelope has one field, of bytes. */
function isWithinBounds(payload: Uint8Array): boolean {
  const envelope = new BinaryReader(payload);
  if (envelope.pos >= envelope.len) return false;
  const [field, type] = envelope.tag();
  if (type !== WireType.LengthDelimited) return false;
  const message = envelope.bytes();
  if (envelope.pos < envelope.len) return false;
  if (field === COMPRESSED) return true;
  if (PEERING_FIELDS.has(field) && message.length > MAX_PEERING_BYTES) return false;
  const reader = new BinaryReader(message);
  for (let fields = 0; reader.pos < reader.len; fields++) {
    if (fields === MAX_FIELDS) return false;
    const [no, wireType] = reader.tag();
    reader.skip(wireType, no);
  }
  return true;
}
