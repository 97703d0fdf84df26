/** An X-chain with its issuer, driven as a devnet does: fetch, admit, build, execute, commit. */

import { AssetIssuer } from "../../../../src/chains/asset/builder/asset-issuer.ts";
import type { SignedTx } from "../../../../src/chains/asset/tx/registry.ts";
import type { AdmitOptions, BuiltBlock } from "../../../../src/chains/mempool/issuer.ts";
import { base, genesisBytes, key, network, ownedBy, sign, transferOutput } from "../wallet.ts";
import { start } from "../x-chain.ts";

export const ada = key("ada");
export const FEE = network.txFee;
export const COIN = 1000n * FEE;

/** An output of ada's, which need not exist. */
export interface Coin {
  readonly txId: string;
  readonly outputIndex: number;
  readonly amount: bigint;
}

export class Issuing {
  readonly replay = start();
  readonly issuer: AssetIssuer;
  clock = 1n;

  /** Genesis gives ada so many coins. */
  constructor(coins = 4) {
    const outputs = Array.from({ length: coins }, () => transferOutput(COIN, ownedBy(ada)));
    this.replay.genesis(genesisBytes(this.replay.chain.codec, outputs));
    this.issuer = new AssetIssuer(this.replay.chain, this.replay.view);
    this.clock = this.replay.scalars.timestamp;
  }

  genesisCoin(outputIndex: number): Coin {
    return { txId: this.replay.scalars.feeAssetId, outputIndex, amount: COIN };
  }

  /** Pays ada, in equal parts; what is left is burned. */
  transfer(coins: readonly Coin[], { parts = 1, signer = ada, locktime = 0n, memo = Buffer.alloc(0) } = {}): SignedTx {
    const { feeAssetId: assetId } = this.replay.scalars;
    const inputs = coins.map(({ txId, outputIndex, amount }) => ({
      txId,
      outputIndex,
      assetId,
      input: { kind: "secp256k1.TransferInput" as const, amount, signatureIndices: [0] },
    }));
    const amount = (coins.reduce((sum, coin) => sum + coin.amount, 0n) - FEE) / BigInt(parts);
    const outputs = Array.from({ length: parts }, () => ({ assetId, output: transferOutput(amount, { ...ownedBy(ada), locktime }) }));
    const unsigned = { kind: "BaseTx" as const, ...base(network.xChainId, { inputs, outputs }), memo };
    return sign(
      this.replay.chain.codec,
      unsigned,
      coins.map(() => ({ keys: [signer] })),
    );
  }

  coinsOf({ id, unsigned }: SignedTx): Coin[] {
    return unsigned.outputs.map(({ output }, outputIndex) => ({ txId: id, outputIndex, amount: output.amount }));
  }

  issue(tx: SignedTx, options?: AdmitOptions): void {
    const parsed = this.issuer.parse(tx.bytes);
    this.replay.fetch(this.issuer.admissionKeys(parsed));
    this.issuer.admit(parsed, this.replay.context(this.clock), options);
  }

  build(): BuiltBlock | undefined {
    this.replay.fetch(this.issuer.buildKeys());
    const context = { ...this.replay.context(this.clock), prefersCommit: () => true, pChainHeight: 0n };
    return this.issuer.build(context);
  }

  /** Executes the next block, if there is one. */
  accept(): BuiltBlock | undefined {
    const built = this.build();
    if (built === undefined) return undefined;
    this.replay.execute(this.replay.chain.parse(built.bytes), this.clock);
    this.issuer.accepted(built);
    return built;
  }

  /** Executes blocks until none is due: the transactions of each. */
  acceptAll(): string[][] {
    const blocks: string[][] = [];
    for (let block = this.accept(); block !== undefined; block = this.accept()) blocks.push([...block.txIds]);
    return blocks;
  }
}
