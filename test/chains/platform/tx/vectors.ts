/** Signed transactions of nearly every kind, published with the reference node's fee tests. */

import { readFileSync } from "node:fs";
import type { Dimensions } from "../../../../src/chains/platform/complexity.ts";
import { parseTx, type SignedTx } from "../../../../src/chains/platform/tx/registry.ts";

interface Vector {
  readonly name: string;
  readonly hrp: string;
  readonly txId: string;
  readonly digest: string;
  /** recovered from the first signature */
  readonly signer: string;
  readonly bytes: string;
  readonly complexity?: Dimensions;
  readonly gas?: number;
}

export const vectors = JSON.parse(readFileSync(new URL("vectors.json", import.meta.url), "utf8")) as Vector[];

export function vectorTx(name: string): SignedTx {
  return parseTx(Buffer.from(vectors.find((vector) => vector.name === name)!.bytes, "hex"));
}
