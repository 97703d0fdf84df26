/**
 * The node's error texts for bytes that are not a valid transaction (chain-formats 1.4). A text about a registered type in the wrong place
 * contains the node's type names; all others are the same on every chain.
 */
import type { CodecError } from "./error.ts";

/** The node's names of a chain's types. */
export interface TypeNames {
  /** the type with that ID, e.g. `secp256k1fx.TransferOutput` */
  typeName(typeId: number): string;
  /** the interface expected at that path, e.g. `txs.UnsignedTx` */
  interfaceName(path: string): string;
}

const MAX_LENGTH = 2 ** 31 - 1;
const UNMARSHAL_INTERFACE = "couldn't unmarshal interface:";

export function codecErrorText({ kind, facts, path }: CodecError, names: TypeNames): string {
  switch (kind) {
    case "no-version":
      return "couldn't unpack codec version";
    case "version":
      return "unknown codec version";
    case "oversize":
      return `byte array exceeds maximum length: ${facts.length} > ${facts.limit}`;
    case "trailing":
      return `trailing buffer space: read ${facts.read} provided ${facts.provided}`;
    case "short":
      return `${facts.reading === undefined ? "" : `couldn't unmarshal ${facts.reading}: `}packer has insufficient length for input`;
    case "unknown-type":
      return `${UNMARSHAL_INTERFACE} unknown type ID ${facts.typeId}`;
    case "wrong-type": {
      const type = names.typeName(facts.typeId as number);
      return `${UNMARSHAL_INTERFACE} *${type} does not implement interface ${names.interfaceName(path)}`;
    }
    case "recursive":
      return `recursive interface types: *${names.typeName(facts.typeId as number)}`;
    case "bool":
      return "couldn't unmarshal bool: unexpected value when unpacking bool";
    case "length":
      return `max slice length exceeded; array length, ${facts.length}, exceeds maximum length, ${MAX_LENGTH}`;
    case "zero-length":
      return "can't unmarshal zero length value";
    case "order":
      return "keys aren't sorted";
  }
}
