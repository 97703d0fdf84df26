/**
 * Compares `getTx`, `getTxStatus`, `getBlock` and `getBlockByHeight` of P and X. For a transaction: what it consumed and produced according
 * to the node's JSON; for a block: ID, size and position from its bytes, and its transactions.
 */
import { createHash } from "node:crypto";
import { formatId, parseId } from "../../../../src/base/bytes/cb58.ts";
import { utxoId } from "../../../../src/base/bytes/utxo-id.ts";
import { bare, type Chain, chainPath, type Moment } from "./moment.ts";
import { isObject, type Json } from "./recorded.ts";

const SERVICES: readonly (readonly [Chain, string])[] = [
  ["P", "platform"],
  ["X", "avm"],
];

export async function compareTransactions(moment: Moment): Promise<void> {
  for (const [chain, service] of SERVICES) {
    const read = reader(moment, chain, "transactions");
    for (const { params, result } of moment.answers.of(`${service}.getTxStatus`)) {
      const { status } = await read(params?.txID);
      const isThere = ["Committed", "Aborted", "Accepted"].includes(result.status);
      moment.tally.compare(`${service}.getTxStatus`, JSON.stringify(params), status === 200, isThere);
    }
    for (const { params, result } of moment.answers.of(`${service}.getTx`)) {
      const { status, body } = await read(params?.txID);
      moment.tally.compare(`${service}.getTx`, JSON.stringify(params), status, 200);
      if (status === 200 && isObject(result.tx)) compareTransaction(moment, service, body, result.tx);
    }
  }
}

/** Asked once each. */
function reader(moment: Moment, chain: Chain, list: string) {
  const known = new Map<unknown, Promise<{ status: number; body: Json }>>();
  return (id: unknown) => {
    let answer = known.get(id);
    if (answer === undefined) {
      answer = moment.client.ask(
        `${chainPath(moment, chain)}/${list}/${id === "" || id === undefined ? "none" : encodeURIComponent(`${id}`)}`,
      );
      known.set(id, answer);
    }
    return answer;
  };
}

function compareTransaction(moment: Moment, service: string, item: Json, { id, unsignedTx }: Json): void {
  const { inputs, importedInputs, outputs, exportedOutputs, stake, memo = "0x" } = unsignedTx;
  if (outputs === undefined && unsignedTx.txID !== undefined) return;
  const consumed = [...(inputs ?? []), ...(importedInputs ?? [])].map((input: Json) =>
    formatId(utxoId(parseId(input.txID), input.outputIndex)),
  );
  const spentOperations = (unsignedTx.operations ?? []).flatMap(({ inputIDs }: Json) =>
    inputIDs.map((input: Json) => formatId(utxoId(parseId(input.txID), input.outputIndex))),
  );
  const method = `${service}.getTx`;
  moment.tally.compare(method, `memo of ${id}`, item.memo, memo);
  moment.tally.compareSets(
    method,
    `inputs of ${id}`,
    item.consumedUtxos.map((utxo: Json) => utxo.utxoId),
    [...consumed, ...spentOperations],
  );
  const made: Json[] = [...(outputs ?? []), ...(exportedOutputs ?? []), ...(stake ?? [])];
  moment.tally.compareSets(
    method,
    `outputs of ${id}`,
    item.emittedUtxos.filter((utxo: Json) => Number(utxo.outputIndex) < made.length && isOwnOutput(utxo, id)).map(outputForm),
    made.map((output, index) => recordedOutputForm(output, index)),
  );
}

const isOwnOutput = (utxo: Json, txId: string) => (utxo.txHash ?? utxo.creationTxHash) === txId && utxo.rewardType === undefined;

const outputForm = (utxo: Json) =>
  JSON.stringify([
    ...[Number(utxo.outputIndex), utxo.asset.assetId, utxo.asset.amount, utxo.addresses, utxo.threshold],
    ...[utxo.locktime ?? utxo.platformLocktime ?? 0, utxo.stakeableLocktime ?? 0],
  ]);

/** A lock that ends is around the output that it locks. */
function recordedOutputForm({ assetID, output }: Json, index: number): string {
  const inner = output.output ?? output;
  const stakeable = output.output === undefined ? 0 : Number(output.locktime);
  const owners = [inner.addresses.map(bare), inner.threshold, Number(inner.locktime)];
  return JSON.stringify([index, assetID, `${inner.amount ?? 0}`, ...owners, stakeable]);
}

export async function compareBlocks(moment: Moment): Promise<void> {
  for (const [chain, service] of SERVICES) {
    const read = reader(moment, chain, "blocks");
    for (const method of [`${service}.getBlock`, `${service}.getBlockByHeight`]) {
      for (const { params, result } of moment.answers.of(method)) {
        const id = params?.blockID ?? params?.height;
        if (id === undefined || id === null) continue;
        const { status, body } = await read(id);
        moment.tally.compare(method, JSON.stringify(params), status, 200);
        if (status !== 200) continue;
        if (isObject(result.block)) compareJsonBlock(moment, method, body, result.block);
        else compareBytes(moment, method, body, result);
      }
    }
  }
}

/** A proposal's time is that of its parent before Banff, and its option's time is its own: the Data API gives the chain's time. */
function compareJsonBlock({ tally }: Moment, method: string, item: Json, block: Json): void {
  const txs: Json[] = [...(block.txs ?? []), ...(block.tx === undefined ? [] : [block.tx])];
  const actual = [item.blockHash, item.parentHash, item.blockNumber, item.txCount, item.transactions];
  const expected = [block.id, block.parentID, `${block.height}`, txs.length, txs.map(({ id }) => id)];
  tally.compare(method, `block ${block.id}`, actual, expected);
}

const CHECKSUM_BYTES = 4;

function compareBytes({ tally }: Moment, method: string, item: Json, { block, encoding }: Json): void {
  const whole = Buffer.from(block.slice(2), "hex");
  const bytes = encoding === "hexnc" ? whole : whole.subarray(0, -CHECKSUM_BYTES);
  const id = formatId(createHash("sha256").update(bytes).digest("hex"));
  tally.compare(method, `bytes of block ${item.blockNumber}`, [item.blockHash, item.blockSizeBytes], [id, bytes.length]);
}
