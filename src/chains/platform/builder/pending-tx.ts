/** A transaction in the P-chain's mempool: its gas price, its inputs, and the transactions that it builds on. */

import type { Id } from "../../../base/bytes/id.ts";
import { utxoIdOf } from "../../../base/bytes/utxo-id.ts";
import type { RowKey } from "../../../base/table/view.ts";
import { RuleError } from "../../../network/execution.ts";
import type { NetworkInstance } from "../../../network/network.ts";
import { within } from "../../../network/within.ts";
import type { ChainedTx } from "../../mempool/ancestry.ts";
import type { MempoolTx } from "../../mempool/mempool.ts";
import { txKeys } from "../block-keys.ts";
import { gasOf } from "../fee/dimensions.ts";
import { complexityOf } from "../fee/fee.ts";
import { addAmounts } from "../flow.ts";
import { unlockedInput, unlockedOutput } from "../output.ts";
import type { UnsignedTx } from "../tx/registry.ts";
import type { SignedTx } from "../tx/signed-tx.ts";
import { balancesOf, inputsOf, outputsOf } from "../tx/value.ts";
import { namesMade } from "./tx-names.ts";

/** The values that the mempool sorts by. */
export interface Meter {
  readonly gas: bigint;
  /** nAVAX burned per gas, in floating point as on the node */
  readonly gasPrice: number;
}

export class PendingTx implements MempoolTx, ChainedTx {
  readonly tx: SignedTx;
  readonly id: Id;
  readonly size: number;
  readonly inputs: readonly Id[];
  /** rows that executing it reads, except resident ones */
  readonly keys: readonly RowKey[];
  readonly makes: readonly string[];
  ancestors: readonly this[];
  readonly gas: bigint;
  readonly gasPrice: number;
  /** height of the validator sets that its warp message was last verified with */
  warpHeight: bigint | undefined;

  constructor(tx: SignedTx, { gas, gasPrice }: Meter, ancestors: readonly PendingTx[]) {
    this.tx = tx;
    this.id = tx.id;
    this.size = tx.bytes.length;
    this.inputs = inputsOf(tx.unsigned).map(utxoIdOf);
    this.keys = txKeys(tx);
    this.makes = namesMade(tx);
    this.ancestors = ancestors as readonly this[];
    this.gas = gas;
    this.gasPrice = gasPrice;
  }
}

/** Throws for a transaction that cannot be metered, which the release's mempool refuses in every era. */
export function meter(tx: UnsignedTx, network: NetworkInstance): Meter {
  return within("failed to meter tx", () => {
    const burned = burnedAvax(tx, network);
    const gas = gasOf(complexityOf(tx), network.dynamicFees);
    if (gas === 0n) throw new RuleError("no-gas", "no gas used");
    return { gas, gasPrice: Number(burned) / Number(gas) };
  });
}

function burnedAvax(tx: UnsignedTx, { avaxAssetId }: NetworkInstance): bigint {
  let consumed = 0n;
  for (const { assetId, input } of inputsOf(tx)) {
    if (assetId === avaxAssetId) consumed = addAmounts(consumed, unlockedInput(input).amount);
  }
  let produced = balancesOf(tx).reduce(addAmounts, 0n);
  for (const { assetId, output } of outputsOf(tx)) {
    if (assetId === avaxAssetId) produced = addAmounts(produced, unlockedOutput(output).amount);
  }
  if (consumed < produced) throw new RuleError("avax-minted", "AVAX minted");
  return consumed - produced;
}
