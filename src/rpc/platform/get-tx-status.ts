import { platformTxs, TX_COMMITTED } from "../../platform/tables.ts";
import { method } from "../method.ts";
import { id } from "../params.ts";

/** Without a mempool nothing is processing or dropped. */
export const getTxStatus = method({
  name: "platform.getTxStatus",
  summary: "Committed, Aborted, or Unknown.",
  cost: "one row",
  params: { txID: id },
  async handler({ txID: txId }, context) {
    const tx = await context.reader.get(platformTxs, { txId });
    if (tx === undefined) return { status: "Unknown" };
    return { status: tx.status === TX_COMMITTED ? "Committed" : "Aborted" };
  },
});
