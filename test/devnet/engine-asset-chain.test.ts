/** Asset chains other than X: every one that a transaction creates runs, unless its genesis is invalid. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { EMPTY_ID, type Id, nameId, PLATFORM_CHAIN_ID } from "../../src/base/bytes/id.ts";
import { decodeAll } from "../../src/base/codec/codec.ts";
import { signDigest } from "../../src/base/signatures/secp256k1.ts";
import { View } from "../../src/base/table/view.ts";
import { AssetChain } from "../../src/chains/asset/chain.ts";
import { type Utxo, unlockedOutput, utxo } from "../../src/chains/platform/output.ts";
import { type UnsignedTx, unsignedTx } from "../../src/chains/platform/tx/registry.ts";
import { assemble } from "../../src/chains/platform/tx/signed.ts";
import type { Devnet } from "../../src/devnet/devnet.ts";
import { PLATFORM_UTXOS } from "../../src/index/tables.ts";
import { utxosOfAddress } from "../../src/index/utxos-of-address.ts";
import { base, genesisBytes, key, ownedBy, SECP256K1_FX, sign, spending, transferOutput, X_FXS } from "../chains/asset/wallet.ts";
import { AVAX, heightOf, startNetwork, textOf } from "./engine-network.ts";
import { FEE } from "./load/plain-wallet.ts";

const FX_IDS = X_FXS.toSorted();
const [ada, bob] = [key("ada"), key("bob")];

/** Burns the fee; the rest goes back to ada, who also signs for the subnet. */
async function issueOnPlatform(devnet: Devnet, fields: object, { hasSubnet = false } = {}): Promise<Id> {
  const { networkId, avaxAssetId: assetId } = devnet.network;
  const coins: Utxo[] = [];
  for await (const { bytes } of utxosOfAddress(devnet.store, { chain: PLATFORM_UTXOS, address: ada.address })) {
    coins.push(decodeAll(utxo, bytes));
  }
  const back = { kind: "TransferOutput", locktime: 0n, threshold: 1, addresses: [ada.address] };
  const change = coins.reduce((sum, coin) => sum + unlockedOutput(coin.output).amount, 0n) - FEE;
  const unsigned = {
    ...fields,
    networkId,
    blockchainId: PLATFORM_CHAIN_ID,
    outputs: [{ assetId, output: { ...back, amount: change } }],
    inputs: coins.map(({ txId, outputIndex, output }) => {
      const { amount } = unlockedOutput(output);
      return { txId, outputIndex, assetId, input: { kind: "TransferInput", amount, signatureIndices: [0] } };
    }),
    memo: new Uint8Array(),
    ...(hasSubnet && { subnetAuthorization: { kind: "Input", signatureIndices: [0] } }),
  } as unknown as UnsignedTx;
  const signatures = [signDigest(assemble(unsignedTx, unsigned, []).digest, ada.privateKey)];
  const credentials = new Array(coins.length + Number(hasSubnet)).fill({ kind: "Credential" as const, signatures });
  return devnet.issue(PLATFORM_CHAIN_ID, assemble(unsignedTx, unsigned, credentials).bytes);
}

async function withSubnet() {
  const { devnet, directory, wallClock } = await startNetwork();
  await devnet.fund(textOf(ada, "P"), 100n * AVAX);
  const owner = { kind: "OutputOwners", locktime: 0n, threshold: 1, addresses: [ada.address] };
  const subnetId = await issueOnPlatform(devnet, { kind: "CreateSubnetTx", owner });
  const create = (genesisData: Uint8Array, fxIds: readonly Id[] = FX_IDS, vmId = nameId("avm")) =>
    issueOnPlatform(devnet, { kind: "CreateChainTx", subnetId, chainName: "second", vmId, fxIds, genesisData }, { hasSubnet: true });
  return { devnet, directory, wallClock, create };
}

describe("an asset chain that is created", () => {
  test("takes transactions at once, and after a restart", async () => {
    const { devnet, directory, wallClock, create } = await withSubnet();
    const codec = new AssetChain(devnet.network, new View(), { chain: 1, chainId: EMPTY_ID, fxIds: FX_IDS }).codec;
    const amount = 10n * devnet.network.txFee;
    const genesis = genesisBytes(
      codec,
      [transferOutput(amount, ownedBy(ada)), transferOutput(amount, ownedBy(bob))],
      FX_IDS.indexOf(SECP256K1_FX),
    );
    const chainId = await create(genesis);
    const assetId = codec.makeTx({ kind: "CreateAssetTx", ...codec.parseGenesis(genesis)[0]! }, []).id;
    const pay = (outputIndex: number, from: typeof ada) => {
      const first = { txId: assetId, outputIndex, assetId, output: transferOutput(amount, ownedBy(from)) };
      const outputs = [{ assetId, output: transferOutput(amount - devnet.network.txFee, ownedBy(bob)) }];
      return sign(codec, { kind: "BaseTx", ...base(chainId, { inputs: [spending(first)], outputs }) }, [{ keys: [from] }]);
    };
    await devnet.issue(chainId, pay(0, ada).bytes);
    await devnet.stop();
    const { devnet: again } = await startNetwork({ directory, wallClock });
    await again.issue(chainId, pay(1, bob).bytes);
    expect(await heightOf(again, chainId)).toBe(2n);
  });

  test("with a genesis that is none leaves P as it would be with any other chain", async () => {
    const { devnet, create } = await withSubnet();
    const before = await heightOf(devnet, "P");
    let created = 0n;
    const garbage = fc.tuple(fc.uint8Array({ maxLength: 64 }), fc.subarray([...X_FXS, nameId("nofx")]));
    await fc.assert(
      fc.asyncProperty(garbage, async ([genesis, fxIds]) => {
        const chainId = await create(genesis, fxIds.toSorted());
        expect(await heightOf(devnet, "P")).toBe(before + ++created);
        await expect(devnet.issue(chainId, genesis)).rejects.toThrow();
      }),
      { numRuns: 20 },
    );
  });
});
