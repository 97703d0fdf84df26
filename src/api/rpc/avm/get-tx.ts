/** `avm.getTx` and `avm.getTxStatus`: accepted transactions, including those of the DAG and of genesis. */

import { EMPTY_ID, type Id } from "../../../base/bytes/id.ts";
import type { JsonValue } from "../../../base/json/go-encode.ts";
import { type Awaitable, andThen, atOnce, later, type Steps } from "../../../base/work/awaitable.ts";
import { assetTxs } from "../../../chains/asset/tables.ts";
import { bytesOf } from "../../../index/stored-txs.ts";
import { RpcError } from "../errors.ts";
import { method, type RpcContext } from "../method.ts";
import { type Encoding, encodeBytesJson, encoding, id } from "../params.ts";
import { readAndRenderOnce } from "../rendered.ts";
import { chainCodec, chainNumber, jsonContext } from "./chain.ts";

export const getTx = method({
  name: "avm.getTx",
  summary: "A transaction, as bytes or as JSON.",
  cost: "two rows",
  computeUnits: 10,
  params: { txID: id, encoding },
  handler: (params, context) => atOnce(txSteps(params, context)),
});

function* txSteps({ txID, encoding: as }: { readonly txID: Id; readonly encoding: Encoding }, context: RpcContext): Steps<JsonValue> {
  const row = yield* later(readTx(context, txID));
  if (row === undefined) throw new RpcError("not found");
  const read = () => bytesOf(context.reader, context.chain.chainId, row);
  if (as !== "json") return { tx: encodeBytesJson(yield* later(read()), as), encoding: as };
  const codec = yield* later(chainCodec(context));
  // genesis transactions may exceed the limit of others
  const limit = Number.POSITIVE_INFINITY;
  const render = () => andThen(read(), (bytes) => codec.txJson(codec.parseTx(bytes, { limit }), jsonContext(context)));
  return { tx: yield* later(readAndRenderOnce(context, txID, context.chain.alias, render)), encoding: as };
}

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
  handler({ txID }, context) {
    return andThen(readTx(context, txID), (row): Awaitable<JsonValue> => {
      if (row !== undefined) return { status: "Accepted" };
      const status = context.beyondState().issueContext.status(context.chain.chainId, txID);
      return andThen(status, (pending) => ({ status: pending === undefined ? "Unknown" : STATUS[pending.kind] }));
    });
  },
});

/** The X-chain has no status for dropped transactions: they may be issued again. */
const STATUS = { processing: "Processing", rejected: "Rejected", dropped: "Unknown" } as const;

function readTx(context: RpcContext, txId: Id) {
  if (txId === EMPTY_ID) throw new RpcError("nil transaction ID");
  return context.reader.get(assetTxs, { chain: chainNumber(context), txId });
}
