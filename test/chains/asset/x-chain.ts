/** An X-chain whose genesis gives ada two coins. */

import type { RuleLevel } from "../../../src/base/errors/rule-level.ts";
import type { SignedTx } from "../../../src/chains/asset/tx/registry.ts";
import type { NetworkInstance } from "../../../src/network/network.ts";
import { AssetReplay } from "../../conformance/asset/replay.ts";
import { base, genesisBytes, key, network, ownedBy, sign, spending, transferOutput, X_FXS } from "./wallet.ts";

export const ada = key("ada");
export const bob = key("bob");
export const FEE = network.txFee;
export const X = network.xChainId;
const AMOUNTS = [10n * FEE, 20n * FEE];

export function start({ level = "full", on = network }: { level?: RuleLevel; on?: NetworkInstance } = {}): AssetReplay {
  return new AssetReplay(on, { chain: 0, chainId: on.xChainId, fxIds: X_FXS, alias: "X" }, { level });
}

export function started(level: RuleLevel = "full", options: { startsAsDag?: boolean } = {}): AssetReplay {
  const replay = start({ level });
  const outputs = AMOUNTS.map((amount) => transferOutput(amount, ownedBy(ada)));
  replay.genesis(genesisBytes(replay.chain.codec, outputs), options);
  return replay;
}

/** The genesis UTXO at an index. */
export function coin(replay: AssetReplay, index: number) {
  const assetId = replay.scalars.feeAssetId;
  return { txId: assetId, outputIndex: index, assetId, output: transferOutput(AMOUNTS[index]!, ownedBy(ada)) };
}

export function transferOf(replay: AssetReplay, index: number, to = ada, signer = ada): SignedTx {
  const assetId = replay.scalars.feeAssetId;
  const outputs = [{ assetId, output: transferOutput(AMOUNTS[index]! - FEE, ownedBy(to)) }];
  const unsigned = { kind: "BaseTx" as const, ...base(X, { inputs: [spending(coin(replay, index))], outputs }) };
  return sign(replay.chain.codec, unsigned, [{ keys: [signer] }]);
}

export function messageOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    return (error as Error).message;
  }
  return "accepted";
}
