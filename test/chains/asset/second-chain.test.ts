import { describe, expect, test } from "vitest";
import { formatId } from "../../../src/base/bytes/cb58.ts";
import type { Id } from "../../../src/base/bytes/id.ts";
import { decodeAll } from "../../../src/base/codec/codec.ts";
import type { StateBody } from "../../../src/chains/asset/fx/fx.ts";
import { assetAliases, assetChains, assets } from "../../../src/chains/asset/tables.ts";
import type { Utxo } from "../../../src/chains/asset/transfer.ts";
import { AssetReplay } from "../../conformance/asset/replay.ts";
import {
  accept,
  base,
  genesisBytes,
  key,
  NFT_FX,
  network,
  ownedBy,
  PROPERTY_FX,
  SECP256K1_FX,
  sign,
  someId,
  spending,
  transferOutput,
} from "./wallet.ts";
import { messageOf } from "./x-chain.ts";

const ada = key("ada");
const bob = key("bob");
const chainId = someId("another asset chain");
const FEE = network.txFee;
/** The order of the fxs gives the fx indices: 0 is nftfx here. */
const [NFT_INDEX, SECP256K1_INDEX, PROPERTY_INDEX] = [0, 1, 2];

function startChain(): AssetReplay {
  const replay = new AssetReplay(network, { chain: 1, chainId, fxIds: [NFT_FX, SECP256K1_FX, PROPERTY_FX] });
  replay.genesis(genesisBytes(replay.chain.codec, [transferOutput(10n * FEE, ownedBy(ada))], SECP256K1_INDEX));
  return replay;
}

function utxosOf(replay: AssetReplay): Utxo[] {
  return [...replay.utxos().values()].map((bytes) => decodeAll(replay.chain.codec.utxo, Buffer.from(bytes, "hex")));
}

function find(replay: AssetReplay, kind: StateBody["kind"], assetId?: Id): Utxo {
  const utxo = utxosOf(replay).find((utxo) => utxo.output.kind === kind && (assetId ?? utxo.assetId) === utxo.assetId);
  if (utxo === undefined) throw new Error(`no UTXO with ${kind}`);
  return utxo;
}

/** Inputs and outputs that pay the fee from ada's fee UTXO, giving the rest back. */
function payingFee(replay: AssetReplay) {
  const { feeAssetId } = replay.scalars;
  const utxo = find(replay, "secp256k1.TransferOutput", feeAssetId);
  const input = spending(utxo);
  return base(chainId, {
    inputs: [input],
    outputs: [{ assetId: feeAssetId, output: transferOutput(input.input.amount - FEE, ownedBy(ada)) }],
  });
}

function createAsset(replay: AssetReplay): Id {
  const { codec } = replay.chain;
  const initialStates = [
    { fxIndex: NFT_INDEX, outputs: [{ kind: "nft.MintOutput", groupId: 7, ...ownedBy(ada) } as StateBody] },
    {
      fxIndex: SECP256K1_INDEX,
      outputs: [{ kind: "secp256k1.MintOutput", ...ownedBy(ada) } as StateBody, transferOutput(100n, ownedBy(ada))],
    },
    { fxIndex: PROPERTY_INDEX, outputs: [{ kind: "property.MintOutput", ...ownedBy(ada) } as StateBody] },
  ];
  const unsigned = {
    kind: "CreateAssetTx" as const,
    ...payingFee(replay),
    name: "Everything",
    symbol: "ALL",
    denomination: 2,
    initialStates,
  };
  const tx = sign(codec, unsigned, [{ keys: [ada] }]);
  accept(replay, tx);
  return tx.id;
}

/** One operation on one UTXO, signed by its owner with a credential of the operation's fx. */
function operate(replay: AssetReplay, utxo: Utxo, operation: { kind: string; [member: string]: unknown }, signer = ada) {
  const { txId, outputIndex, assetId } = utxo;
  const operations = [{ assetId, inputIds: [{ txId, outputIndex }], operation }];
  const fx = operation.kind.split(".")[0]!;
  const tx = sign(replay.chain.codec, { kind: "OperationTx", ...payingFee(replay), operations }, [{ keys: [ada] }, { fx, keys: [signer] }]);
  return { tx, facts: accept(replay, tx) };
}

const mintInput = { signatureIndices: [0] };

describe("a second asset chain whose fxs are in another order", () => {
  test("starts with its own genesis asset as fee asset, its own rows and its own block 0", () => {
    const replay = startChain();
    const { feeAssetId, height, phase } = replay.scalars;
    expect([height, phase]).toEqual([0n, 1]);
    expect(find(replay, "secp256k1.TransferOutput").assetId).toBe(feeAssetId);
    expect(replay.view.get(assetAliases, { chain: 1, alias: "FEE" })).toEqual({ assetId: feeAssetId });
    expect(replay.view.get(assetChains, { chain: 1 })?.fxIds).toEqual([NFT_FX, SECP256K1_FX, PROPERTY_FX]);
  });

  test("prefixes addresses with its ID and names fxs by their place", () => {
    const replay = startChain();
    const assetId = createAsset(replay);
    const tx = utxosOf(replay).find((utxo) => utxo.assetId === assetId);
    expect(tx).toBeDefined();
    const unsigned = { kind: "BaseTx" as const, ...payingFee(replay) };
    const json = replay.chain.txJson(sign(replay.chain.codec, unsigned, [{ keys: [ada] }]));
    expect(json).toContain(`"addresses":["${formatId(chainId)}-local1`);
    expect(json).toContain(`"fxID":"${formatId(SECP256K1_FX)}"`);
  });

  test("creates an asset with all fxs", () => {
    const replay = startChain();
    const assetId = createAsset(replay);
    const created = utxosOf(replay).filter((utxo) => utxo.assetId === assetId);
    expect(created.map(({ output, outputIndex }) => `${outputIndex} ${output.kind}`).sort()).toEqual([
      "1 nft.MintOutput",
      "2 secp256k1.MintOutput",
      "3 secp256k1.TransferOutput",
      "4 property.MintOutput",
    ]);
    expect(replay.rowOf(assets, { chain: 1, assetId })).toEqual({
      name: "Everything",
      symbol: "ALL",
      denomination: 2,
      fxIndices: [0, 1, 2],
    });
  });

  test("mints value, which re-creates the mint output, and transfers it", () => {
    const replay = startChain();
    const assetId = createAsset(replay);
    const mint = {
      kind: "secp256k1.MintOperation",
      mintInput,
      mintOutput: ownedBy(ada),
      transferOutput: { amount: 50n, ...ownedBy(bob) },
    };
    const { tx, facts } = operate(replay, find(replay, "secp256k1.MintOutput"), mint);
    expect(facts.produced.map(({ addresses }) => addresses)).toEqual([[ada.address], [ada.address], [bob.address]]);
    const minted = utxosOf(replay).find((utxo) => utxo.txId === tx.id && utxo.outputIndex === 2)!;
    const fee = payingFee(replay);
    const moved = base(chainId, {
      inputs: [...fee.inputs, spending(minted)],
      outputs: [...fee.outputs, { assetId, output: transferOutput(50n, ownedBy(ada)) }],
    });
    const signers = moved.inputs.map((input) => ({ keys: [input.txId === minted.txId && input.outputIndex === 2 ? bob : ada] }));
    accept(replay, sign(replay.chain.codec, { kind: "BaseTx", ...moved }, signers));
    const amounts = utxosOf(replay).flatMap(({ output, assetId: held }) => (held === assetId && "amount" in output ? [output.amount] : []));
    expect(amounts.toSorted()).toEqual([100n, 50n]);
  });

  test("mints an NFT once, and moves it with its payload", () => {
    const replay = startChain();
    createAsset(replay);
    const payload = Buffer.from("a picture");
    operate(replay, find(replay, "nft.MintOutput"), {
      kind: "nft.MintOperation",
      mintInput,
      groupId: 7,
      payload,
      outputs: [ownedBy(bob)],
    });
    expect(() => find(replay, "nft.MintOutput")).toThrow();
    const transfer = { kind: "nft.TransferOperation", input: mintInput, output: { groupId: 7, payload, ...ownedBy(ada) } };
    operate(replay, find(replay, "nft.TransferOutput"), transfer, bob);
    expect(find(replay, "nft.TransferOutput").output.addresses).toEqual([ada.address]);
  });

  test("mints a property and burns it", () => {
    const replay = startChain();
    createAsset(replay);
    const mint = { kind: "property.MintOperation", mintInput, mintOutput: ownedBy(ada), ownedOutput: ownedBy(bob) };
    operate(replay, find(replay, "property.MintOutput"), mint);
    const { facts } = operate(replay, find(replay, "property.OwnedOutput"), { kind: "property.BurnOperation", signatureIndices: [0] }, bob);
    expect(facts.consumed.map(({ addresses }) => addresses)).toContainEqual([bob.address]);
    expect(() => find(replay, "property.OwnedOutput")).toThrow();
  });

  test("refuses an operation that somebody else signed", () => {
    const replay = startChain();
    createAsset(replay);
    const mint = { kind: "property.MintOperation", mintInput, mintOutput: ownedBy(ada), ownedOutput: ownedBy(bob) };
    expect(() => operate(replay, find(replay, "property.MintOutput"), mint, bob)).toThrow(
      expect.objectContaining({ code: "wrong-signature" }),
    );
  });

  test("refuses operations that change what they must keep, or that the owner did not sign", () => {
    const replay = startChain();
    createAsset(replay);
    const refusal = (utxo: Utxo, operation: Parameters<typeof operate>[2]) => messageOf(() => operate(replay, utxo, operation));
    const payload = Buffer.alloc(1);
    const nft = { kind: "nft.MintOperation", mintInput, groupId: 8, payload, outputs: [ownedBy(bob)] };
    expect(refusal(find(replay, "nft.MintOutput"), nft)).toContain("wrong unique ID provided");
    const property = { kind: "property.MintOperation", mintInput, mintOutput: ownedBy(bob), ownedOutput: ownedBy(bob) };
    expect(refusal(find(replay, "property.MintOutput"), property)).toContain("wrong mint output provided");
    operate(replay, find(replay, "property.MintOutput"), { ...property, mintOutput: ownedBy(ada) });
    const burn = { kind: "property.BurnOperation", signatureIndices: [0] };
    expect(refusal(find(replay, "property.OwnedOutput"), burn)).toContain("wrong signature");
    expect(refusal(find(replay, "property.MintOutput"), burn)).toContain("wrong utxo type");
    expect(refusal(find(replay, "nft.MintOutput"), { ...property, mintOutput: ownedBy(ada) })).toContain("wrong utxo type");
  });

  test("refuses a fee paid in AVAX, which is not its fee asset", () => {
    const replay = startChain();
    const inputs = [
      spending({ txId: someId("tx"), outputIndex: 0, assetId: network.avaxAssetId, output: transferOutput(FEE, ownedBy(ada)) }),
    ];
    const tx = sign(replay.chain.codec, { kind: "BaseTx", ...base(chainId, { inputs }) }, [{ keys: [ada] }]);
    expect(() => replay.verifyTx(tx.bytes, 0n)).toThrow("insufficient funds");
  });
});
