import { TextError } from "../../../base/errors/text-error.ts";
import { platformRewardUtxos } from "../../../chains/platform/tables.ts";
import { RpcError } from "../errors.ts";
import { method } from "../method.ts";
import { type Encoding, encodeBytes, encoding, id } from "../params.ts";

/** A transaction has at most two rewards: the validator's or delegator's, and the delegatee's. */
const MAX_REWARDS = 16;
const CODEC_VERSION = Buffer.alloc(2);

export const getRewardUtxos = method({
  name: "platform.getRewardUTXOs",
  summary: "Rewards that were paid for a staking transaction.",
  cost: "O(answer)",
  computeUnits: 20,
  params: { txID: id, encoding },
  async handler({ txID: txId, encoding: as }, context) {
    const rows = await context.reader.scan(platformRewardUtxos, { prefix: { txId }, limit: MAX_REWARDS });
    const utxos = rows.map(({ value }) => encodeUtxo(Buffer.concat([CODEC_VERSION, value.bytes]), as));
    return { numFetched: `${utxos.length}`, utxos, encoding: as };
  },
});

function encodeUtxo(bytes: Uint8Array, as: Encoding): string {
  try {
    return encodeBytes(bytes, as);
  } catch (error) {
    throw error instanceof TextError ? new RpcError(`couldn't encode utxo as ${as}: ${error.message}`) : error;
  }
}
