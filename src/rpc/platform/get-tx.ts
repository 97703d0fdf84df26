import { platformTxs } from "../../platform/tables.ts";
import { parseTx, txJson } from "../../platform/tx/signed-tx.ts";
import { encodeBytes } from "../byte-encoding.ts";
import { RpcError } from "../errors.ts";
import { method } from "../method.ts";
import { encoding, id } from "../params.ts";
import { RawJson } from "../raw-json.ts";
import { jsonContext } from "./json-context.ts";

/** Decided transactions, aborted ones and those of genesis included. */
export const getTx = method({
  name: "platform.getTx",
  params: { txID: id, encoding },
  async handler({ txID: txId, encoding: as }, context) {
    const row = await context.reader.get(platformTxs, { txId });
    if (row === undefined) throw new RpcError("couldn't get tx: not found");
    const tx = as === "json" ? new RawJson(txJson(parseTx(row.bytes), jsonContext(context))) : encodeBytes(row.bytes, as);
    return { tx, encoding: as };
  },
});
