import { platformTxs } from "../../../chains/platform/tables.ts";
import { signedTx, txJson } from "../../../chains/platform/tx/registry.ts";
import { storedTx } from "../../../chains/platform/tx/signed.ts";
import { bytesOf } from "../../../index/stored-txs.ts";
import { RpcError } from "../errors.ts";
import { method } from "../method.ts";
import { encodeBytesJson, encoding, id } from "../params.ts";
import { readAndRenderOnce } from "../rendered.ts";
import { jsonContext } from "./json-context.ts";

/** Decided transactions, including aborted ones and those of genesis. */
export const getTx = method({
  name: "platform.getTx",
  summary: "A transaction, as bytes or as JSON.",
  cost: "two rows",
  computeUnits: 10,
  params: { txID: id, encoding },
  async handler({ txID: txId, encoding: as }, context) {
    const row = await context.reader.get(platformTxs, { txId });
    if (row === undefined) throw new RpcError("couldn't get tx: not found");
    const read = () => bytesOf(context.reader, context.chain.chainId, row);
    if (as !== "json") return { tx: encodeBytesJson(await read(), as), encoding: as };
    // genesis transactions may exceed the size limit of others
    const tx = await readAndRenderOnce(context, txId, context.network.hrp, async () =>
      txJson(storedTx(signedTx, await read()), jsonContext(context)),
    );
    return { tx, encoding: as };
  },
});
