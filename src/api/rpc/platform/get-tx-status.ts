import { platformTxs, TX_COMMITTED } from "../../../chains/platform/tables.ts";
import { method } from "../method.ts";
import { id } from "../params.ts";

/** Without a mempool, and without nodes to ask, no transaction is Processing or Dropped (rpc-platform 4.4). */
export const getTxStatus = method({
  name: "platform.getTxStatus",
  summary: "Committed, Aborted, Processing, Dropped with the reason, or Unknown.",
  cost: "one row",
  computeUnits: 10,
  params: { txID: id },
  async handler({ txID: txId }, context) {
    const tx = await context.reader.get(platformTxs, { txId });
    if (tx !== undefined) return { status: tx.status === TX_COMMITTED ? "Committed" : "Aborted" };
    const pending = await context.beyondState().issueContext.status(context.chain.chainId, txId);
    switch (pending?.kind) {
      case "processing":
        return { status: "Processing" };
      case "dropped":
        return { status: "Dropped", reason: pending.reason };
      default:
        return { status: "Unknown" };
    }
  },
});
