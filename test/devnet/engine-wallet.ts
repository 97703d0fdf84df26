/** Signs transactions of the X-chain for tests: as many as asked for, none of which spends what another makes. */

import { decodeAll } from "../../src/base/codec/codec.ts";
import { assetCodec } from "../../src/chains/asset/codec.ts";
import type { TransferOutput } from "../../src/chains/asset/fx/secp256k1.ts";
import type { SignedTx } from "../../src/chains/asset/tx/registry.ts";
import type { Devnet } from "../../src/devnet/devnet.ts";
import { utxosOfAddress } from "../../src/index/utxos-of-address.ts";
import { base, type Key, ownedBy, sign, spending, transferOutput, X_FXS } from "../chains/asset/wallet.ts";

const codec = assetCodec(X_FXS);

/** A transaction for each output that the key owns: it goes to `to`, but for the fee. */
export async function spendEach({ store, network }: Devnet, from: Key, to: Key): Promise<SignedTx[]> {
  const txs: SignedTx[] = [];
  for await (const { bytes } of utxosOfAddress(store, { chain: 0, address: from.address })) {
    const utxo = decodeAll(codec.utxo, bytes);
    const { amount } = utxo.output as TransferOutput;
    const outputs = [{ assetId: network.avaxAssetId, output: transferOutput(amount - network.txFee, ownedBy(to)) }];
    const unsigned = { kind: "BaseTx" as const, ...base(network.xChainId, { inputs: [spending(utxo)], outputs }) };
    txs.push(sign(codec, unsigned, [{ keys: [from] }]));
  }
  return txs;
}
