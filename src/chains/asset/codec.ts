/**
 * The codec of an asset chain. Its type IDs depend on the chain's fxs and their order (chain-formats 5.1, 5.10). Strict: a type that is
 * registered but not allowed at its place is `wrong-type`, any other `unknown-type`. Well-formed bytes that break a rule (order, amounts)
 * still decode.
 */
import { formatId } from "../../base/bytes/cb58.ts";
import { sha256Hex } from "../../base/bytes/hash.ts";
import type { Id } from "../../base/bytes/id.ts";
import {
  type Codec,
  decodeVersioned,
  encodeVersioned,
  type JsonContext,
  list,
  MAX_MESSAGE_BYTES,
  str,
  struct,
  u64,
  union,
  variant,
} from "../../base/codec/codec.ts";
import { id, utxoReferenceFields } from "./fields.ts";
import type { Fx, FxBody } from "./fx/fx.ts";
import { fxsOf } from "./fx/registry.ts";
import { type AssetEncoding, type ChainRules, makeParts, typeRegistry } from "./parts.ts";
import type { Utxo } from "./transfer.ts";
import { type GenesisAsset, genesisAssetFields } from "./tx/create-asset.ts";
import { type SignedTx, txTypes, type UnsignedTx } from "./tx/registry.ts";
import { signedTx } from "./tx/signed-tx.ts";

/** A linear block. `bytes` includes the codec version; `id` is their hash. */
export interface AssetBlock {
  readonly kind: "StandardBlock";
  readonly parentId: Id;
  readonly height: bigint;
  /** Unix seconds */
  readonly time: bigint;
  readonly merkleRoot: Id;
  readonly txs: readonly SignedTx[];
  readonly id: Id;
  readonly bytes: Uint8Array;
}

export interface AssetCodec extends AssetEncoding {
  /** The type ID of a kind, e.g. `secp256k1.TransferOutput`; undefined if the chain lacks its fx. */
  typeId(kind: string): number | undefined;
  /** The node's name of a registered type, as its error texts show it: `secp256k1fx.TransferOutput`. */
  typeName(typeId: number): string;
  /** The node's name of the interface expected at a path: `txs.UnsignedTx`. */
  interfaceName(path: string): string;
  /** a signed transaction as a block contains it: without codec version */
  readonly tx: Codec<SignedTx>;
  readonly unsignedTx: Codec<UnsignedTx>;
  /** `bytes` includes the codec version. Genesis transactions have no size limit. */
  parseTx(bytes: Uint8Array, options?: { limit?: number }): SignedTx;
  parseBlock(bytes: Uint8Array): AssetBlock;
  makeBlock(fields: Omit<AssetBlock, "kind" | "id" | "bytes">): AssetBlock;
  makeTx(unsigned: UnsignedTx, credentials: readonly FxBody[]): SignedTx;
  /** Parses the chain's genesis from its CreateChainTx. */
  parseGenesis(bytes: Uint8Array): GenesisAsset[];
  txJson(tx: SignedTx, context: JsonContext): string;
  blockJson(block: AssetBlock, context: JsonContext): string;
}

/** The rules of a chain, with all of its codecs. */
export interface CodedRules extends ChainRules {
  readonly codec: AssetCodec;
}

/** Codecs by the chain's fxs; each is made once. */
const known = new Map<string, AssetCodec>();

export function assetCodec(fxIds: readonly Id[]): AssetCodec {
  const key = fxIds.join();
  let codec = known.get(key);
  if (codec === undefined) {
    codec = makeCodec(fxsOf(fxIds));
    known.set(key, codec);
  }
  return codec;
}

function makeCodec(fxs: readonly Fx[]): AssetCodec {
  const types = typeRegistry(
    fxs,
    txTypes.map(({ name }) => name),
  );
  const { registered, blockTypeId } = types;
  const parts = makeParts(types);
  const { output } = parts;
  const utxo = struct({ ...utxoReferenceFields, assetId: id, output }) as unknown as Codec<Utxo>;
  const unsignedTx = union(
    Object.fromEntries(txTypes.map((type) => [type.typeId, type.codec(parts)])),
    registered,
  ) as unknown as Codec<UnsignedTx>;
  const tx = signedTx(unsignedTx, parts.credential);
  const block = union(
    { [blockTypeId]: variant("StandardBlock", { parentId: id, height: u64, time: u64, merkleRoot: id, txs: list(tx) }) },
    registered,
  );
  const genesis = list(struct({ alias: str, ...genesisAssetFields(parts) })) as unknown as Codec<GenesisAsset[]>;

  /** A block builder passes the block's bytes to the chain, so the block made last need not be parsed again. */
  let lastMade: AssetBlock | undefined;

  return {
    fxs,
    typeId: types.typeId,
    typeName: types.typeName,
    interfaceName,
    tx,
    utxo,
    output,
    unsignedTx,
    parts,
    parseTx: (bytes, { limit = MAX_MESSAGE_BYTES } = {}) => decodeVersioned(tx, bytes, { limit }),
    parseBlock(bytes) {
      if (lastMade !== undefined && Buffer.compare(lastMade.bytes, bytes) === 0) return lastMade;
      const fields = decodeVersioned(block, bytes, { limit: MAX_MESSAGE_BYTES });
      return { ...fields, id: sha256Hex(bytes), bytes };
    },
    makeBlock(fields) {
      const body = { kind: "StandardBlock" as const, ...fields, txs: [...fields.txs] };
      const bytes = encodeVersioned(block, body);
      lastMade = { ...body, id: sha256Hex(bytes), bytes };
      return lastMade;
    },
    makeTx: (unsigned, credentials) => decodeVersioned(tx, encodeVersioned(tx, { unsigned, credentials } as SignedTx)),
    parseGenesis: (bytes) => decodeVersioned(genesis, bytes),
    txJson: (value, context) => tx.json(value, context),
    blockJson: (value, context) => `${block.json({ ...value, txs: [...value.txs] }, context).slice(0, -1)},"id":"${formatId(value.id)}"}`,
  };
}

/** Interface names by the last member of the path. The path of a block or transaction that has the wrong type itself is empty. */
const INTERFACES: Readonly<Record<string, string>> = {
  unsignedTx: "txs.UnsignedTx",
  credentials: "verify.Verifiable",
  output: "avax.TransferableOut",
  input: "avax.TransferableIn",
  // in an initial state
  outputs: "verify.State",
  operation: "fxs.FxOperation",
};

function interfaceName(path: string): string {
  const member = path.slice(path.lastIndexOf(".") + 1).replace(/\[\d+\]$/, "");
  if (path === "output") return "verify.State"; // in a UTXO
  return INTERFACES[member] ?? "block.Block";
}
