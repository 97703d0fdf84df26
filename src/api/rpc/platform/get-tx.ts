import type { Id } from "../../../base/bytes/id.ts";
import type { JsonValue } from "../../../base/json/go-encode.ts";
import { andThen, atOnce, later, type Steps } from "../../../base/work/awaitable.ts";
import { platformTxs } from "../../../chains/platform/tables.ts";
import { signedTx, txJson } from "../../../chains/platform/tx/registry.ts";
import { storedTx } from "../../../chains/platform/tx/signed.ts";
import { bytesOf } from "../../../index/stored-txs.ts";
import { RpcError } from "../errors.ts";
import { method, type RpcContext } from "../method.ts";
import { type Encoding, encodeBytesJson, encoding, id } from "../params.ts";
import { readAndRenderOnce } from "../rendered.ts";
import { jsonContext } from "./json-context.ts";

/** Decided transactions, including aborted ones and those of genesis. */
export const getTx = method({
  name: "platform.getTx",
  summary: "A transaction, as bytes or as JSON.",
  cost: "two rows",
  computeUnits: 10,
  params: { txID: id, encoding },
  handler: (params, context) => atOnce(txSteps(params, context)),
});

function* txSteps({ txID: txId, encoding: as }: { readonly txID: Id; readonly encoding: Encoding }, context: RpcContext): Steps<JsonValue> {
  const row = yield* later(context.reader.get(platformTxs, { txId }));
  if (row === undefined) throw new RpcError("couldn't get tx: not found");
  const read = () => bytesOf(context.reader, context.chain.chainId, row);
  if (as !== "json") return { tx: encodeBytesJson(yield* later(read()), as), encoding: as };
  // genesis transactions may exceed the size limit of others
  const render = () => andThen(read(), (bytes) => txJson(storedTx(signedTx, bytes), jsonContext(context)));
  return { tx: yield* later(readAndRenderOnce(context, txId, context.network.hrp, render)), encoding: as };
}
