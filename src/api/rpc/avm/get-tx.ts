/** `avm.getTx` and `avm.getTxStatus`: accepted transactions, including those of the DAG and of genesis. */

import { EMPTY_ID, type Id } from "../../../base/bytes/id.ts";
import { assetTxs } from "../../../chains/asset/tables.ts";
import { bytesOf } from "../../../index/stored-txs.ts";
import { RpcError } from "../errors.ts";
import { method, type RpcContext } from "../method.ts";
import { encodeBytesJson, encoding, id } from "../params.ts";
import { readAndRenderOnce } from "../rendered.ts";
import { chainCodec, chainNumber, jsonContext } from "./chain.ts";

export const getTx = method({
  name: "avm.getTx",
  summary: "A transaction, as bytes or as JSON.",
  cost: "two rows",
  computeUnits: 10,
  params: { txID: id, encoding },
  async handler({ txID, encoding: as }, context) {
    const row = await readTx(context, txID);
    if (row === undefined) throw new RpcError("not found");
    const read = () => bytesOf(context.reader, context.chain.chainId, row);
    if (as !== "json") return { tx: encodeBytesJson(await read(), as), encoding: as };
    const codec = await chainCodec(context);
    // genesis transactions may exceed the limit of others
    const parse = async () => codec.parseTx(await read(), { limit: Number.POSITIVE_INFINITY });
    const tx = await readAndRenderOnce(context, txID, context.chain.alias, async () => codec.txJson(await parse(), jsonContext(context)));
    return { tx, encoding: as };
  },
});

/**
 * Deprecated since v1.10.0. A transaction is rejected once another one has spent one of its inputs. A node to which it was not issued does
 * not know it.
 */
export const getTxStatus = method({
  name: "avm.getTxStatus",
  summary: "Accepted, Processing, Rejected, or Unknown.",
  cost: "one row",
  computeUnits: 10,
  params: { txID: id },
  async handler({ txID }, context) {
    if ((await readTx(context, txID)) !== undefined) return { status: "Accepted" };
    const pending = await context.beyondState().issueContext.status(context.chain.chainId, txID);
    return { status: pending === undefined ? "Unknown" : STATUS[pending.kind] };
  },
});

/** The X-chain has no status for dropped transactions: they may be issued again. */
const STATUS = { processing: "Processing", rejected: "Rejected", dropped: "Unknown" } as const;

function readTx(context: RpcContext, txId: Id) {
  if (txId === EMPTY_ID) throw new RpcError("nil transaction ID");
  return context.reader.get(assetTxs, { chain: chainNumber(context), txId });
}
