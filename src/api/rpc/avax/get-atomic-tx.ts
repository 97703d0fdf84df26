/**
 * `avax.getAtomicTx` and `avax.getAtomicTxStatus`: imports and exports of the C-chain. Only coreth also knows those that wait for a block.
 */

import { formatId } from "../../../base/bytes/cb58.ts";
import { EMPTY_ID, type Id } from "../../../base/bytes/id.ts";
import { TextError } from "../../../base/errors/text-error.ts";
import { atomicTxs } from "../../../chains/atomic/tables.ts";
import { RpcError } from "../errors.ts";
import { method, type RpcContext } from "../method.ts";
import { encodeBytes, encoding, id } from "../params.ts";
import { dialectOf } from "./dialect.ts";

const STATUS = { processing: "Processing", dropped: "Dropped", rejected: "Dropped" } as const;

const NIL_ID = "nil transaction ID";

export const getAtomicTx = method({
  name: "avax.getAtomicTx",
  summary: "An atomic transaction, as bytes or as JSON.",
  cost: "one row",
  computeUnits: 10,
  params: { txID: id, encoding },
  async handler({ txID, encoding: as }, context) {
    const isCoreth = (await dialectOf(context)) === "coreth";
    if (isCoreth && txID === EMPTY_ID) throw new RpcError(NIL_ID);
    const found = (await context.reader.get(atomicTxs, { txId: txID })) ?? (isCoreth ? await waitingTx(context, txID) : undefined);
    if (found === undefined) throw new RpcError(isCoreth ? `could not find tx ${formatId(txID)}` : "fetching tx: reading tx: not found");
    try {
      return { tx: encodeBytes(found.bytes, as), encoding: as, ...(found.height !== undefined && { blockHeight: `${found.height}` }) };
    } catch (error) {
      if (!(error instanceof TextError)) throw error;
      throw new RpcError(isCoreth ? error.message : `encoding tx: encoding tx: ${error.message}`);
    }
  },
});

async function waitingTx(context: RpcContext, txId: Id): Promise<{ bytes: Uint8Array; height?: undefined } | undefined> {
  const status = await context.beyondState().issueContext.status(context.chain.chainId, txId);
  return status?.kind === "processing" && status.bytes !== undefined ? { bytes: status.bytes } : undefined;
}

/**
 * Only coreth has it: from Helicon on, when saevm runs the C-chain, the node knows no such method (v1.15.2), and `avax.getAtomicTx` tells the
 * same. A devnet keeps it, because `@avalanche-sdk/client` waits for its transactions with it.
 */
export const getAtomicTxStatus = method({
  name: "avax.getAtomicTxStatus",
  summary: "Accepted with its height, Processing, Dropped, or Unknown. Only until the C-chain's blocks are of Helicon, and on a devnet.",
  cost: "one row",
  computeUnits: 10,
  params: { txID: id },
  async handler({ txID }, context) {
    const isCoreth = (await dialectOf(context)) === "coreth";
    if (!isCoreth && !context.isDevnet) throw new RpcError('rpc: can\'t find method "avax.GetAtomicTxStatus"');
    if (isCoreth && txID === EMPTY_ID) throw new RpcError(NIL_ID);
    const row = await context.reader.get(atomicTxs, { txId: txID });
    if (row !== undefined) return { status: "Accepted", blockHeight: `${row.height}` };
    const pending = isCoreth ? await context.beyondState().issueContext.status(context.chain.chainId, txID) : undefined;
    return { status: pending === undefined ? "Unknown" : STATUS[pending.kind] };
  },
});
