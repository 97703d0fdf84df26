/** Creates an asset with the transaction's ID. Rules: chain-rules 15.6, chain-formats 5.5. */

import { encodeAll, list, str, u8, type Value, variant } from "../../../base/codec/codec.ts";
import { RuleError } from "../../../network/execution.ts";
import { ascend } from "../fx/fx.ts";
import { fxOf } from "../fx/registry.ts";
import type { AssetEncoding, Parts } from "../parts.ts";
import type { InitialState } from "../transfer.ts";
import { baseFields } from "./base.ts";
import { defineTx } from "./define.ts";

const MAX_NAME_BYTES = 128;
const MAX_SYMBOL_BYTES = 4;
const MAX_DENOMINATION = 32;

function fields(parts: Parts) {
  return { ...baseFields(parts), name: str, symbol: str, denomination: u8, initialStates: list(parts.initialState) };
}

function codec(parts: Parts) {
  return variant("CreateAssetTx", fields(parts));
}

export type CreateAssetTx = Value<ReturnType<typeof codec>>;

/** A genesis asset: a CreateAssetTx without type ID and credentials, with an alias (chain-formats 5.9). */
export type GenesisAsset = Omit<CreateAssetTx, "kind"> & { readonly alias: string };
export const genesisAssetFields = fields;

export const createAssetTx = defineTx<CreateAssetTx>({
  name: "CreateAssetTx",
  typeId: 1,
  codec,
  fee: ({ createAssetTxFee }) => createAssetTxFee,
  produced: ({ initialStates }, assetId) => initialStates.flatMap(({ outputs }) => outputs.map((output) => ({ assetId, output }))),
  created: ({ name, symbol, denomination, initialStates }) => ({
    ...{ name, symbol, denomination },
    fxIndices: initialStates.map(({ fxIndex }) => fxIndex),
  }),
  verifyFirst: verifyDescription,
  verifyForm({ initialStates }, rules) {
    for (const state of initialStates) verifyInitialState(state, rules.codec);
    if (!ascend(initialStates.map(({ fxIndex }) => fxIndex))) {
      throw new RuleError("states-order", "initial states not sorted and unique");
    }
  },
});

/** Name and symbol are latin1 strings, so their length is in bytes. */
function verifyDescription({ name, symbol, denomination, initialStates }: CreateAssetTx): void {
  if (name.length < 1) throw new RuleError("name-length", "name is too short, minimum size is 1");
  if (name.length > MAX_NAME_BYTES) throw new RuleError("name-length", `name is too long, maximum size is ${MAX_NAME_BYTES}`);
  if (symbol.length < 1) throw new RuleError("symbol-length", "symbol is too short, minimum size is 1");
  if (symbol.length > MAX_SYMBOL_BYTES) throw new RuleError("symbol-length", `symbol is too long, maximum size is ${MAX_SYMBOL_BYTES}`);
  if (initialStates.length === 0) throw new RuleError("no-fx", "assets must support at least one Fx");
  if (denomination > MAX_DENOMINATION) throw new RuleError("denomination", "denomination is too large");
  if (hasOuterSpace(name)) throw new RuleError("name-space", "unexpected whitespace provided");
  if (!/^[A-Za-z0-9 ]*$/.test(name)) {
    throw new RuleError("name-characters", "asset's name must be made up of only letters and numbers");
  }
  if (!/^[A-Z]*$/.test(symbol)) throw new RuleError("symbol-characters", "asset's symbol must be all upper case letters");
}

/** The node trims Unicode white space: U+0085 counts, U+FEFF does not. */
function hasOuterSpace(latin1: string): boolean {
  const text = Buffer.from(latin1, "latin1").toString("utf8");
  return /^\p{White_Space}|\p{White_Space}$/u.test(text);
}

/** The outputs' types need not belong to the fx with this index. */
function verifyInitialState({ fxIndex, outputs }: InitialState, { fxs, output }: AssetEncoding): void {
  if (fxIndex >= fxs.length) throw new RuleError("unknown-fx", "unknown feature extension");
  for (const body of outputs) fxOf(body).verify(body);
  const encoded = outputs.map((body) => encodeAll(output, body));
  for (let i = 1; i < encoded.length; i++) {
    if (encoded[i - 1]!.compare(encoded[i]!) > 0) throw new RuleError("outputs-order", "outputs not sorted");
  }
}
