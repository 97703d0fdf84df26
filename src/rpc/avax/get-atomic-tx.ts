/** `avax.getAtomicTx` and `avax.getAtomicTxStatus`: imports and exports in accepted blocks of the C-chain. */
import { atomicTxs } from "../../atomic/tables.ts";
import { formatId } from "../../primitives/cb58.ts";
import { EMPTY_ID } from "../../primitives/id.ts";
import { TextError } from "../../primitives/text-error.ts";
import { encodeBytes } from "../byte-encoding.ts";
import { RpcError } from "../errors.ts";
import { method } from "../method.ts";
import { encoding, id } from "../params.ts";
import { dialectOf } from "./dialect.ts";

const NIL_ID = "nil transaction ID";

export const getAtomicTx = method({
  name: "avax.getAtomicTx",
  summary: "An atomic transaction, as bytes or as JSON.",
  cost: "one row",
  params: { txID: id, encoding },
  async handler({ txID, encoding: as }, context) {
    const isCoreth = (await dialectOf(context)) === "coreth";
    if (isCoreth && txID === EMPTY_ID) throw new RpcError(NIL_ID);
    const row = await context.reader.get(atomicTxs, { txId: txID });
    if (row === undefined) throw new RpcError(isCoreth ? `could not find tx ${formatId(txID)}` : "fetching tx: reading tx: not found");
    try {
      return { tx: encodeBytes(row.bytes, as), encoding: as, blockHeight: `${row.height}` };
    } catch (error) {
      if (!(error instanceof TextError)) throw error;
      throw new RpcError(isCoreth ? error.message : `encoding tx: encoding tx: ${error.message}`);
    }
  },
});

export const getAtomicTxStatus = method({
  name: "avax.getAtomicTxStatus",
  summary: "Accepted with its height, or Unknown.",
  cost: "one row",
  params: { txID: id },
  async handler({ txID }, context) {
    if (txID === EMPTY_ID && (await dialectOf(context)) === "coreth") throw new RpcError(NIL_ID);
    const row = await context.reader.get(atomicTxs, { txId: txID });
    return row === undefined ? { status: "Unknown" } : { status: "Accepted", blockHeight: `${row.height}` };
  },
});
