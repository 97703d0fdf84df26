import { platformTxs } from "../../platform/tables.ts";
import { storedTx } from "../../platform/tx/signed.ts";
import { signedTx, txJson } from "../../platform/tx/signed-tx.ts";
import { encodeBytesJson } from "../byte-encoding.ts";
import { RpcError } from "../errors.ts";
import { method } from "../method.ts";
import { encoding, id } from "../params.ts";
import { renderOnce } from "../rendered.ts";
import { jsonContext } from "./json-context.ts";

/** Decided transactions, including aborted ones and those of genesis. */
export const getTx = method({
  name: "platform.getTx",
  summary: "A transaction, as bytes or as JSON.",
  cost: "one row",
  computeUnits: 10,
  params: { txID: id, encoding },
  async handler({ txID: txId, encoding: as }, context) {
    const row = await context.reader.get(platformTxs, { txId });
    if (row === undefined) throw new RpcError("couldn't get tx: not found");
    if (as !== "json") return { tx: encodeBytesJson(row.bytes, as), encoding: as };
    // genesis transactions may exceed the size limit of others
    const tx = renderOnce(txId, context.network.hrp, () => txJson(storedTx(signedTx, row.bytes), jsonContext(context)));
    return { tx, encoding: as };
  },
});
