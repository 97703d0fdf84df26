import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Id, PLATFORM_CHAIN_ID } from "../../../src/base/bytes/id.ts";
import { utxoId } from "../../../src/base/bytes/utxo-id.ts";
import { decodeAll, encodeVersioned } from "../../../src/base/codec/codec.ts";
import type { StateBody } from "../../../src/chains/asset/fx/fx.ts";
import type { TransferOutput } from "../../../src/chains/asset/fx/secp256k1.ts";
import type { TransferableInput, Utxo } from "../../../src/chains/asset/transfer.ts";
import { AssetReplay } from "../../conformance/asset/replay.ts";
import { accept, base, genesisBytes, key, network, ownedBy, sign, someId, spending, transferOutput, X_FXS } from "./wallet.ts";

const owner = key("owner");
const FEE = network.txFee;
const GENESIS_AMOUNT = 1000n * FEE;

type Action = { kind: "transfer" | "mint" | "export" | "import"; pick: number; parts: number; burned: number };

const action: fc.Arbitrary<Action> = fc.record({
  kind: fc.constantFrom("transfer", "mint", "export", "import"),
  pick: fc.nat(),
  parts: fc.integer({ min: 1, max: 4 }),
  burned: fc.nat(9),
});

/** A chain, and what each asset's sum must be by our own account: started + minted + imported − burned − exported. */
class Ledger {
  readonly replay = new AssetReplay(network, { chain: 0, chainId: network.xChainId, fxIds: X_FXS, alias: "X" });
  readonly expected = new Map<Id, bigint>();
  readonly #feeAssetId: Id;
  readonly #mintedAssetId: Id;
  #imports = 0;

  constructor() {
    const { codec } = this.replay.chain;
    this.replay.genesis(genesisBytes(codec, [transferOutput(GENESIS_AMOUNT, ownedBy(owner))]));
    this.#feeAssetId = this.replay.scalars.feeAssetId;
    this.#account(this.#feeAssetId, GENESIS_AMOUNT);
    const mintable: StateBody[] = [{ kind: "secp256k1.MintOutput", ...ownedBy(owner) } as StateBody, transferOutput(100n, ownedBy(owner))];
    const asset = { name: "Coin", symbol: "COIN", denomination: 0, initialStates: [{ fxIndex: 0, outputs: mintable }] };
    const create = sign(codec, { kind: "CreateAssetTx", ...this.#transfer([], []), ...asset }, [{ keys: [owner] }]);
    accept(this.replay, create);
    this.#mintedAssetId = create.id;
    this.#account(create.id, 100n);
    this.#account(this.#feeAssetId, -FEE);
  }

  run(action: Action): void {
    const coins = this.#utxos().filter(({ assetId, output }) => assetId === this.#mintedAssetId && "amount" in output);
    const coin = coins[action.pick % Math.max(coins.length, 1)];
    if (action.kind === "mint") this.#mint(BigInt(action.pick % 50) + 1n);
    else if (action.kind === "import") this.#import(FEE + BigInt(action.pick % 1000) + 1n);
    else if (coin !== undefined) this.#spend(coin, action);
  }

  sums(): Map<Id, bigint> {
    const sums = new Map<Id, bigint>();
    for (const { assetId, output } of this.#utxos()) {
      if ("amount" in output) sums.set(assetId, (sums.get(assetId) ?? 0n) + (output as TransferOutput).amount);
    }
    return sums;
  }

  /** Splits a coin into parts, burning some of it; an export sends the parts away. */
  #spend(coin: Utxo, { kind, parts, burned }: Action): void {
    const { amount } = coin.output as TransferOutput;
    const kept = amount > BigInt(burned) ? amount - BigInt(burned) : amount;
    const count = kept < BigInt(parts) ? 1n : BigInt(parts);
    const outputs = Array.from({ length: Number(count) }, (_, i) => ({
      assetId: coin.assetId,
      output: transferOutput(i === 0 ? kept - (kept / count) * (count - 1n) : kept / count, ownedBy(owner)),
    }));
    const sorted = base(network.xChainId, { outputs }).outputs;
    const isExport = kind === "export";
    const transfer = this.#transfer([spending(coin)], isExport ? [] : sorted);
    const unsigned = isExport
      ? { kind: "ExportTx" as const, ...transfer, destinationChain: PLATFORM_CHAIN_ID, exportedOutputs: sorted }
      : { kind: "BaseTx" as const, ...transfer };
    this.#accept(unsigned);
    this.#account(coin.assetId, isExport ? -amount : kept - amount);
  }

  #mint(amount: bigint): void {
    const { txId, outputIndex, assetId } = this.#utxos().find(({ output }) => output.kind === "secp256k1.MintOutput")!;
    const operation = {
      kind: "secp256k1.MintOperation",
      mintInput: { signatureIndices: [0] },
      mintOutput: ownedBy(owner),
      transferOutput: { amount, ...ownedBy(owner) },
    };
    const operations = [{ assetId, inputIds: [{ txId, outputIndex }], operation }];
    this.#accept({ kind: "OperationTx", ...this.#transfer([], []), operations });
    this.#account(assetId, amount);
  }

  #import(amount: bigint): void {
    const { codec } = this.replay.chain;
    this.#imports++;
    const utxo = {
      txId: someId(`export ${this.#imports}`),
      outputIndex: 0,
      assetId: this.#feeAssetId,
      output: transferOutput(amount, ownedBy(owner)),
    };
    const traits = [owner.address];
    this.replay.receive(PLATFORM_CHAIN_ID, [{ key: utxoId(utxo.txId, 0), bytes: encodeVersioned(codec.utxo, utxo), traits }]);
    const outputs = [{ assetId: this.#feeAssetId, output: transferOutput(amount - FEE, ownedBy(owner)) }];
    const importedInputs = [spending(utxo)];
    accept(
      this.replay,
      sign(codec, { kind: "ImportTx", ...base(network.xChainId, { outputs }), sourceChain: PLATFORM_CHAIN_ID, importedInputs }, [
        { keys: [owner] },
      ]),
    );
    this.#account(this.#feeAssetId, amount - FEE);
  }

  /** Adds an input and the change that pay the fee. */
  #transfer(inputs: TransferableInput[], outputs: { assetId: Id; output: TransferOutput }[]) {
    const rich = this.#utxos().find(({ assetId, output }) => assetId === this.#feeAssetId && (output as TransferOutput).amount > FEE)!;
    const change = transferOutput((rich.output as TransferOutput).amount - FEE, ownedBy(owner));
    return base(network.xChainId, {
      inputs: [...inputs, spending(rich)],
      outputs: [...outputs, { assetId: this.#feeAssetId, output: change }],
    });
  }

  #accept(unsigned: Parameters<typeof sign>[1]): void {
    const operations = unsigned.kind === "OperationTx" ? unsigned.operations.length : 0;
    const signers = Array.from({ length: unsigned.inputs.length + operations }, () => ({ keys: [owner] }));
    accept(this.replay, sign(this.replay.chain.codec, unsigned, signers));
    this.#account(this.#feeAssetId, -FEE);
  }

  #account(assetId: Id, change: bigint): void {
    this.expected.set(assetId, (this.expected.get(assetId) ?? 0n) + change);
  }

  #utxos(): Utxo[] {
    return [...this.replay.utxos().values()].map((bytes) => decodeAll(this.replay.chain.codec.utxo, Buffer.from(bytes, "hex")));
  }
}

describe("conservation of value", () => {
  test("after any valid transactions each asset sums to started + minted + imported - burned - exported", () => {
    fc.assert(
      fc.property(fc.array(action, { minLength: 1, maxLength: 25 }), (actions) => {
        const ledger = new Ledger();
        for (const action of actions) {
          ledger.run(action);
          for (const [assetId, expected] of ledger.expected) expect(ledger.sums().get(assetId) ?? 0n).toBe(expected);
        }
      }),
      { numRuns: 60 },
    );
  });
});
