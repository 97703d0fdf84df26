/** Type IDs and the codecs of transactions' parts, both of which depend on the chain's fxs (chain-formats 5.1, 5.10). */
import { formatId } from "../../base/bytes/cb58.ts";
import { EMPTY_ID, type Id } from "../../base/bytes/id.ts";
import { type Codec, list, struct, u32, union } from "../../base/codec/codec.ts";
import type { TypeNames } from "../../base/codec/error-text.ts";
import { id, utxoReference, utxoReferenceFields } from "./fields.ts";
import type { Fx, FxBody, FxType, Position, StateBody } from "./fx/fx.ts";
import { fxOf } from "./fx/registry.ts";
import type { TransferInput, TransferOutput } from "./fx/secp256k1.ts";
import type { InitialState, Operation, TransferableInput, TransferableOutput, Utxo } from "./transfer.ts";

/** Type IDs in order: transactions, then each fx's types in the order of the chain's fxs, then the block. */
interface TypeRegistry {
  readonly fxs: readonly Fx[];
  readonly registered: ReadonlySet<number>;
  readonly blockTypeId: number;
  typeId(kind: string): number | undefined;
  typeName(typeId: number): string;
  /** The codec for a position: a union of the fx types allowed there. */
  position<T extends FxBody>(isAllowed: (type: FxType) => boolean): Codec<T>;
}

/** @param txNames of the types of transactions, in the order of their type IDs */
export function typeRegistry(fxs: readonly Fx[], txNames: readonly string[]): TypeRegistry {
  const firstFxTypeId = txNames.length;
  const fxTypes = fxs.flatMap((fx) => fx.types);
  const names = [...txNames.map((name) => `txs.${name}`), ...fxTypes.map(({ nodeName }) => nodeName), "block.StandardBlock"];
  const registered = new Set(names.keys());
  return {
    fxs,
    registered,
    blockTypeId: names.length - 1,
    typeId(kind) {
      const index = fxTypes.findIndex(({ codec }) => codec.kind === kind);
      return index === -1 ? undefined : firstFxTypeId + index;
    },
    typeName: (typeId) => names[typeId] ?? `type ${typeId}`,
    position<T extends FxBody>(isAllowed: (type: FxType) => boolean) {
      const entries = fxTypes.flatMap((type, i) => (isAllowed(type) ? [[firstFxTypeId + i, type.codec] as const] : []));
      return union(Object.fromEntries(entries), registered) as unknown as Codec<T>;
    },
  };
}

/** Codecs for the transactions' definitions. */
export interface Parts {
  readonly transferableOutput: Codec<TransferableOutput>;
  readonly transferableInput: Codec<TransferableInput>;
  readonly initialState: Codec<InitialState>;
  readonly operation: Codec<Operation>;
  readonly credential: Codec<FxBody>;
  /** any output, as in a UTXO */
  readonly output: Codec<StateBody>;
}

/** How the values of a chain are encoded, besides its transactions. */
export interface AssetEncoding extends TypeNames {
  /** the chain's fxs; a transaction's `fxIndex` is a position in this list */
  readonly fxs: readonly Fx[];
  readonly parts: Parts;
  /** any output, with its type ID */
  readonly output: Codec<StateBody>;
  /** without codec version */
  readonly utxo: Codec<Utxo>;
}

/** Facts that are constant for the life of a chain. */
export interface ChainRules {
  readonly networkId: number;
  /** leading key column of the asset tables */
  readonly chain: number;
  readonly chainId: Id;
  readonly feeAssetId: Id;
  /** nAVAX, or the smallest unit of the chain's fee asset */
  readonly txFee: bigint;
  readonly createAssetTxFee: bigint;
  readonly codec: AssetEncoding;
}

export function makeParts({ fxs, position }: TypeRegistry): Parts {
  const at = <T extends FxBody>(place: Position) => position<T>((type) => type.positions.includes(place));
  const output = at<StateBody>("state");
  const anyType = position<FxBody>(() => true);
  return {
    output,
    transferableOutput: struct({ assetId: id, fxId: fxIdOf("output"), output: at<TransferOutput>("output") }),
    transferableInput: struct({ ...utxoReferenceFields, assetId: id, fxId: fxIdOf("input"), input: at<TransferInput>("input") }),
    initialState: struct({
      fxIndex: u32,
      fxId: { jsonOnly: (state: InitialState) => `"${formatId(fxs[state.fxIndex]?.id ?? EMPTY_ID)}"` },
      outputs: list(output),
    }) as unknown as Codec<InitialState>,
    operation: struct({
      assetId: id,
      inputIds: list(utxoReference),
      fxId: fxIdOf("operation"),
      operation: at<FxBody>("operation"),
    }) as unknown as Codec<Operation>,
    credential: {
      ...anyType,
      json: (value, context) => `{"fxID":"${formatId(fxOf(value).id)}","credential":${anyType.json(value, context)}}`,
    },
  };
}

/** JSON-only member: the ID of the fx that the value in the named member belongs to. */
function fxIdOf(member: string): { jsonOnly: (value: Record<string, FxBody>) => string } {
  return { jsonOnly: (value) => `"${formatId(fxOf(value[member]!).id)}"` };
}
