import { describe, expect, test } from "vitest";
import { formatId } from "../../../src/base/bytes/cb58.ts";
import type { Id } from "../../../src/base/bytes/id.ts";
import type { InitialState } from "../../../src/chains/asset/transfer.ts";
import type { UnsignedTx } from "../../../src/chains/asset/tx/registry.ts";
import type { AssetReplay } from "../../conformance/asset/replay.ts";
import { base, ownedBy, type Signers, sign, spending, transferOutput } from "./wallet.ts";
import { ada, coin, messageOf, started, transferOf, X } from "./x-chain.ts";

describe("issued transactions", () => {
  function refusalOf(replay: AssetReplay, unsigned: UnsignedTx, signers: Signers = unsigned.inputs.map(() => ({ keys: [ada] }))): string {
    return messageOf(() => replay.verifyTx(sign(replay.chain.codec, unsigned, signers).bytes, 0n));
  }

  test("must have their outputs in the order of assets, then of bytes", () => {
    const replay = started();
    const { feeAssetId } = replay.scalars;
    const inputs = [spending(coin(replay, 0))];
    const put = (...outputs: [Id, bigint][]) =>
      refusalOf(replay, {
        kind: "BaseTx",
        ...base(X, { inputs }),
        outputs: outputs.map(([assetId, amount]) => ({ assetId, output: transferOutput(amount, ownedBy(ada)) })),
      });
    const high = "f".repeat(64);
    expect(put([high, 1n], [feeAssetId, 1n])).toBe("outputs not sorted");
    expect(put([feeAssetId, 2n], [feeAssetId, 1n])).toBe("outputs not sorted");
    expect(put([feeAssetId, 2n], [high, 1n])).toBe("insufficient funds");
    expect(put([feeAssetId, 1n], [feeAssetId, 1n])).toBe("accepted");
  });

  test("may carry any type as a credential, which is then checked as what it is", () => {
    const replay = started();
    const { codec } = replay.chain;
    const unsigned = { kind: "BaseTx" as const, ...base(X, { inputs: [spending(coin(replay, 0))] }) };
    const withCredential = (body: { kind: string }) => messageOf(() => replay.verifyTx(codec.makeTx(unsigned, [body]).bytes, 0n));
    expect(withCredential(transferOutput(0n, ownedBy(ada)))).toBe("output has no value");
    expect(withCredential(transferOutput(1n, ownedBy(ada)))).toBe("failed to verify transfer: wrong credential type");
  });

  test("that create an asset must have its states and their outputs in order", () => {
    const replay = started();
    const create = (...initialStates: InitialState[]) => {
      const fields = { name: "A", symbol: "A", denomination: 0, initialStates };
      return refusalOf(replay, { kind: "CreateAssetTx", ...base(X, { inputs: [spending(coin(replay, 0))] }), ...fields });
    };
    const [small, large] = [transferOutput(1n, ownedBy(ada)), transferOutput(2n, ownedBy(ada))];
    expect(create({ fxIndex: 0, outputs: [large, small] })).toBe("outputs not sorted");
    expect(create({ fxIndex: 1, outputs: [] }, { fxIndex: 0, outputs: [] })).toBe("initial states not sorted and unique");
    expect(create({ fxIndex: 0, outputs: [] }, { fxIndex: 0, outputs: [] })).toBe("initial states not sorted and unique");
    expect(create({ fxIndex: 3, outputs: [] })).toBe("unknown feature extension");
    expect(create({ fxIndex: 0, outputs: [small, small] }, { fxIndex: 2, outputs: [] })).toBe("accepted");
  });

  test("that operate must have operations and their UTXOs in order, each asset with the fx", () => {
    const replay = started();
    const { feeAssetId: assetId } = replay.scalars;
    const burn = { kind: "property.BurnOperation", signatureIndices: [0] };
    const operate = (...utxos: { txId: Id; outputIndex: number }[][]) => {
      const operations = utxos.map((inputIds) => ({ assetId, inputIds, operation: burn }));
      const unsigned = { kind: "OperationTx" as const, ...base(X, { inputs: [spending(coin(replay, 0))] }), operations };
      return refusalOf(replay, unsigned, [{ keys: [ada] }, ...operations.map(() => ({ fx: "property", keys: [ada] }))]);
    };
    const at = (outputIndex: number) => ({ txId: assetId, outputIndex });
    expect(operate([at(2), at(1)])).toBe("utxo IDs not sorted and unique");
    expect(operate([at(2)], [at(1)])).toBe("operations not sorted and unique");
    expect(operate([at(0)])).toBe("inputs attempt to double spend an input");
    expect(operate([at(1)])).toBe("incompatible feature extension");
    expect(operate([at(7)])).toBe("not found");
  });

  test("of NFTs have payloads of at most 1024 bytes and well-formed owners", () => {
    const replay = started();
    const { feeAssetId: assetId } = replay.scalars;
    const mint = (payload: Buffer, owner = ownedBy(ada)) => {
      const operation = { kind: "nft.MintOperation", mintInput: { signatureIndices: [0] }, groupId: 1, payload, outputs: [owner] };
      const operations = [{ assetId, inputIds: [{ txId: assetId, outputIndex: 7 }], operation }];
      const unsigned = { kind: "OperationTx" as const, ...base(X, { inputs: [spending(coin(replay, 0))] }), operations };
      return refusalOf(replay, unsigned, [{ keys: [ada] }, { fx: "nft", keys: [ada] }]);
    };
    expect(mint(Buffer.alloc(1025))).toBe("payload too large");
    expect(mint(Buffer.alloc(1024))).toBe("not found");
    expect(mint(Buffer.alloc(1), { ...ownedBy(ada), threshold: 2 })).toBe("output is unspendable");
  });

  test("that spend with the index of an address that does not exist are refused", () => {
    const replay = started();
    const input = spending(coin(replay, 0));
    const inputs = [{ ...input, input: { ...input.input, signatureIndices: [1] } }];
    expect(refusalOf(replay, { kind: "BaseTx", ...base(X, { inputs }) })).toBe(
      "failed to verify transfer: input referenced a nonexistent address in the output",
    );
  });

  test("that spend a UTXO under another asset are refused", () => {
    const replay = started();
    const wrong = { ...spending(coin(replay, 1)), assetId: "f".repeat(64) };
    expect(refusalOf(replay, { kind: "BaseTx", ...base(X, { inputs: [spending(coin(replay, 0)), wrong] }) })).toBe(
      "failed to verify transfer: asset IDs in the input don't match the utxo",
    );
  });

  test("above 64 KiB are verified and then refused", () => {
    const replay = started();
    const assetId = replay.scalars.feeAssetId;
    const outputs = Array.from({ length: 900 }, () => ({ assetId, output: transferOutput(1n, ownedBy(ada)) }));
    const unsigned = { kind: "BaseTx" as const, ...base(X, { inputs: [spending(coin(replay, 0))], outputs }) };
    const tx = sign(replay.chain.codec, unsigned, [{ keys: [ada] }]);
    expect(messageOf(() => replay.verifyTx(tx.bytes, 0n))).toBe(
      `tx too large: ${formatId(tx.id)} size (${tx.bytes.length}) > max size (65536)`,
    );
  });

  test("whose sums exceed 64 bits are refused", () => {
    const replay = started();
    const assetId = replay.scalars.feeAssetId;
    const outputs = [2n ** 64n - 1n, 2n ** 64n - 1n].map((amount) => ({ assetId, output: transferOutput(amount, ownedBy(ada)) }));
    const unsigned = { kind: "BaseTx" as const, ...base(X, { inputs: [spending(coin(replay, 0))], outputs }) };
    expect(messageOf(() => replay.verifyTx(sign(replay.chain.codec, unsigned, [{ keys: [ada] }]).bytes, 0n))).toBe("overflow");
  });

  test("change nothing", () => {
    const replay = started();
    expect(replay.verifyTx(transferOf(replay, 0).bytes, 0n).unsigned.kind).toBe("BaseTx");
    expect(replay.commit()).toBe(0);
  });

  test("that name an asset with outer white space, in the sense of Unicode, are refused", () => {
    const replay = started();
    const create = (name: string) => {
      const initialStates = [{ fxIndex: 0, outputs: [] }];
      const fields = { name: Buffer.from(name).toString("latin1"), symbol: "A", denomination: 0, initialStates };
      const unsigned = { kind: "CreateAssetTx" as const, ...base(X, { inputs: [spending(coin(replay, 0))] }), ...fields };
      return messageOf(() => replay.verifyTx(sign(replay.chain.codec, unsigned, [{ keys: [ada] }]).bytes, 0n));
    };
    expect(create("\u00a0A")).toBe("unexpected whitespace provided");
    expect(create("\ufeffA")).toBe("asset's name must be made up of only letters and numbers");
    expect(create("A 1")).toBe("accepted");
  });
});
