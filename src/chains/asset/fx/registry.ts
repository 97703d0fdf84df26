/** All existing fxs. A chain uses some of them, in the order of its CreateChainTx (chain-formats 5.10). */

import { formatId } from "../../../base/bytes/cb58.ts";
import type { Id } from "../../../base/bytes/id.ts";
import { FirnError } from "../../../base/errors/errors.ts";
import type { Fx, FxBody } from "./fx.ts";
import { nftFx } from "./nft.ts";
import { propertyFx } from "./property.ts";
import { secp256k1Fx } from "./secp256k1.ts";

const fxs: readonly Fx[] = [secp256k1Fx, nftFx, propertyFx];

const byKind = new Map(fxs.flatMap((fx) => fx.types.map(({ codec }) => [codec.kind, fx] as const)));

/** The fx that a value belongs to. */
export function fxOf({ kind }: FxBody): Fx {
  const fx = byKind.get(kind);
  if (fx === undefined) throw new TypeError(`${kind} is no type of a feature extension`);
  return fx;
}

/** The fxs of a chain, in its order. */
export function fxsOf(fxIds: readonly Id[]): Fx[] {
  const chosen = fxIds.map((id) => {
    const fx = fxs.find((fx) => fx.id === id);
    if (fx === undefined) throw new FirnError("unknown-fx", `no feature extension has ID ${formatId(id)}`, { id });
    return fx;
  });
  if (new Set(chosen).size < chosen.length) throw new FirnError("repeated-fx", "a feature extension is listed twice", { fxIds });
  return chosen;
}
