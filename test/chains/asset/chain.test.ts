import { describe, expect, test } from "vitest";
import { formatId, parseId } from "../../../src/base/bytes/cb58.ts";
import { EMPTY_ID, type Id, PLATFORM_CHAIN_ID } from "../../../src/base/bytes/id.ts";
import { utxoId } from "../../../src/base/bytes/utxo-id.ts";
import { encodeVersioned } from "../../../src/base/codec/codec.ts";
import type { AssetBlock } from "../../../src/chains/asset/codec.ts";
import { EXEMPT_TX_ID } from "../../../src/chains/asset/tx/operation.ts";
import type { SignedTx, UnsignedTx } from "../../../src/chains/asset/tx/registry.ts";
import { emptyStopVertex, inDependencyOrder } from "../../../src/chains/asset/vertex.ts";
import { platformChains } from "../../../src/chains/platform/tables.ts";
import { sharedElements } from "../../../src/chains/shared-memory/tables.ts";
import { fuji, mainnet } from "../../../src/network/presets.ts";
import { AssetReplay } from "../../conformance/asset/replay.ts";
import { accept, base, network, ownedBy, sign, someId, spending, transferOutput, X_FXS } from "./wallet.ts";
import { ada, bob, coin, FEE, messageOf, start, started, transferOf, X } from "./x-chain.ts";

const LOCAL_X_GENESIS =
  "000000000001000441564158000030390000000000000000000000000000000000000000000000000000000000000000000000000000000000000028b3d82b1367d362de99ab59a658165aff520cbd4db3d82b1367d362de99ab59a658165aff520cbd4d00094176616c616e6368650004415641580900000001000000000000000200000007002386f26fc1000000000000000000000000000100000001e0cfe8cae22827d032805ded484e393ce51cbedb000000070429d069189e0000000000000000000000000001000000013cb7d3842e8cee6a0ebd09f1fe884f6861e1b29c";

function blockOf(replay: AssetReplay, change: Partial<AssetBlock>): AssetBlock {
  const { lastAccepted, height, timestamp } = replay.scalars;
  const fields = { parentId: lastAccepted, height: height + 1n, time: timestamp, merkleRoot: EMPTY_ID, txs: [transferOf(replay, 0)] };
  return replay.chain.codec.makeBlock({ ...fields, ...change });
}

/** An import of what P is said to have exported. */
function importOf(replay: AssetReplay, name: string, { isThere = true, sourceChain = PLATFORM_CHAIN_ID } = {}): SignedTx {
  const { codec } = replay.chain;
  const assetId = replay.scalars.feeAssetId;
  const utxo = { txId: someId(name), outputIndex: 0, assetId, output: transferOutput(3n * FEE, ownedBy(ada)) };
  if (isThere)
    replay.receive(sourceChain, [{ key: utxoId(utxo.txId, 0), bytes: encodeVersioned(codec.utxo, utxo), traits: [ada.address] }]);
  const outputs = [{ assetId, output: transferOutput(FEE, ownedBy(ada)) }];
  const unsigned = { kind: "ImportTx" as const, ...base(X, { outputs }), sourceChain, importedInputs: [spending(utxo)] };
  return sign(codec, unsigned, [{ keys: [ada] }]);
}

describe("linearization", () => {
  test("the local network has the known AVAX asset, stop vertex and block 0", () => {
    const chainId = parseId("2eNy1mUFdmaxXNj1eQHUe7Np4gju9sJsEtWQ4MX3ToiNKuADed");
    const replay = start({ on: { ...network, xChainId: chainId } });
    const facts = replay.genesis(Buffer.from(LOCAL_X_GENESIS, "hex"));
    expect(formatId(replay.scalars.feeAssetId)).toBe("2fombhL7aGPwj3KH4bfrmJwW6PVnMobf9Y2fn9GwxiAAJyFDbe");
    expect(formatId(emptyStopVertex(chainId).id)).toBe("3LdUD428gni3AFYAooqcTiN3xPGiLE7XdHowi9CsbNGH1i7QY");
    expect(formatId(facts.block!.blockId)).toBe("2R2UY2pZMQr8nR9ywCdqn97Lp5a6hceqtLXkag6vH7KQSVvmst");
    expect(facts.produced.length).toBe(2);
  });

  test.each([
    [mainnet, "V8kYdATLoVjUBazVjEHy1dWurk2PcnhERSWnwmcNwirdsBb1S"],
    [fuji, "2tCdy3dRsf6rYG7jtBNSyANQ6StrAEYpCDMLBQyGRLF8wG5KPK"],
  ])("$name has the known block 0 on its well-known stop vertex", (preset, block0) => {
    const replay = start({ on: { ...network, ...preset } });
    expect(formatId(replay.genesis(Buffer.from(LOCAL_X_GENESIS, "hex")).block!.blockId)).toBe(block0);
  });

  test("another chain of mainnet does not stand on the X-chain's stop vertex", () => {
    const chainId = someId("another");
    const replay = new AssetReplay({ ...network, ...mainnet }, { chain: 1, chainId, fxIds: X_FXS });
    const { block } = replay.genesis(Buffer.from(LOCAL_X_GENESIS, "hex"));
    expect(replay.chain.parse(block!.bytes).parentId).toBe(emptyStopVertex(chainId).id);
  });

  test("mainnet's exempt operation transaction is the known one", () => {
    expect(formatId(EXEMPT_TX_ID)).toBe("MkvpJS13eCnEYeYi9B5zuWrU9goG9RBj7nr83U7BjrFV22a12");
  });
});

describe("linear blocks", () => {
  test.each<[string, Partial<AssetBlock>, string]>([
    ["a merkle root", { merkleRoot: X }, `unexpected merkle root: ${formatId(X)}`],
    ["a time beyond the clock", { time: 4_000_000_011n }, "proposed timestamp is too far in the future relative to local time"],
    ["an unknown parent", { parentId: X }, `failed to get parent ${formatId(X)}: not found`],
    ["a height that skips one", { height: 3n }, "block has incorrect height: expected height 1, got 3"],
    ["no transactions", { txs: [] }, "block contains no transactions"],
  ])("with %s are refused and leave nothing behind", (_, change, text) => {
    const replay = started();
    const before = replay.utxos();
    expect(messageOf(() => replay.execute(blockOf(replay, change), 4_000_000_000n))).toContain(text);
    expect(replay.commit()).toBe(0);
    expect(replay.utxos()).toEqual(before);
    expect(replay.scalars.height).toBe(0n);
  });

  test("may be ten seconds ahead of the clock", () => {
    const replay = started();
    replay.execute(blockOf(replay, { time: 4_000_000_010n }), 4_000_000_000n);
    expect(replay.scalars.timestamp).toBe(4_000_000_010n);
  });

  test("may spend what an earlier transaction of theirs made, but nothing twice", () => {
    const replay = started();
    const first = transferOf(replay, 0, bob);
    const assetId = replay.scalars.feeAssetId;
    const made = { txId: first.id, outputIndex: 0, assetId, output: transferOutput(9n * FEE, ownedBy(bob)) };
    const second = sign(replay.chain.codec, { kind: "BaseTx", ...base(X, { inputs: [spending(made)] }) }, [{ keys: [bob] }]);
    const twice = blockOf(replay, { txs: [first, transferOf(replay, 0)] });
    expect(messageOf(() => replay.execute(twice, 0x7fffffffn))).toMatch(
      new RegExp(
        `^failed to semantically verify tx ${formatId(twice.txs[1]!.id)}: failed to verify transfer: failed to get utxo \\w+: not found$`,
      ),
    );
    const facts = replay.execute(blockOf(replay, { txs: [first, second] }), 0x7fffffffn);
    expect(facts.txs.map(({ index }) => index)).toEqual([0n, 1n]);
    expect(facts.consumed.map(({ addresses }) => addresses)).toEqual([[ada.address], [bob.address]]);
    expect(replay.utxos().size).toBe(1);
  });

  test("name the transaction, the rule and the block of a refusal", () => {
    const replay = started();
    const tx = transferOf(replay, 0, ada, bob);
    const block = blockOf(replay, { txs: [tx] });
    expect(() => replay.execute(block, 0x7fffffffn)).toThrow(
      expect.objectContaining({ code: "wrong-signature", txId: tx.id, blockId: block.id }),
    );
  });

  test("that import the same output twice are refused", () => {
    const replay = started();
    const first = importOf(replay, "export");
    const second = sign(replay.chain.codec, { ...first.unsigned, memo: Buffer.from("again") } as UnsignedTx, [{ keys: [ada] }]);
    expect(messageOf(() => replay.execute(blockOf(replay, { txs: [first, second] }), 0x7fffffffn))).toBe(
      "block contains conflicting transactions",
    );
  });
});

describe("rule levels", () => {
  test("replay trusts signatures, full does not", () => {
    const forged = (replay: AssetReplay) => replay.execute(blockOf(replay, { txs: [transferOf(replay, 0, ada, bob)] }), 0x7fffffffn);
    expect(messageOf(() => forged(started("full")))).toContain("wrong signature");
    expect(forged(started("replay")).txs.length).toBe(1);
  });

  test("replay does not verify operations", () => {
    const operate = (replay: AssetReplay) => {
      const { feeAssetId: assetId } = replay.scalars;
      const operations = [
        { assetId, inputIds: [{ txId: assetId, outputIndex: 7 }], operation: { kind: "property.BurnOperation", signatureIndices: [] } },
      ];
      const unsigned = { kind: "OperationTx" as const, ...base(X, { inputs: [spending(coin(replay, 0))] }), operations };
      return accept(replay, sign(replay.chain.codec, unsigned, [{ keys: [ada] }, { fx: "property", keys: [] }]));
    };
    expect(messageOf(() => operate(started("full")))).toContain("not found");
    expect(operate(started("replay")).consumed.length).toBe(1);
  });

  test("replay does not look at what is imported; a tombstone waits for it", () => {
    const replay = started("replay");
    const tx = importOf(replay, "later", { isThere: false });
    accept(replay, tx);
    const key = { destination: X, source: PLATFORM_CHAIN_ID, key: utxoId(someId("later"), 0) };
    expect(replay.rowOf(sharedElements, key)?.isTombstone).toBe(true);
    importOf(replay, "later");
    expect(replay.rowOf(sharedElements, key)).toBeUndefined();
    expect(messageOf(() => accept(started("full"), tx))).toContain("not found");
  });
});

describe("other chains", () => {
  const otherSubnet = someId("subnet");

  function exportTo(replay: AssetReplay, destinationChain: Id): SignedTx {
    const assetId = replay.scalars.feeAssetId;
    const exportedOutputs = [{ assetId, output: transferOutput(FEE, ownedBy(ada)) }];
    const transfer = base(X, { inputs: [spending(coin(replay, 0))], outputs: exportedOutputs });
    const unsigned = { kind: "ExportTx" as const, ...transfer, destinationChain, exportedOutputs };
    return sign(replay.chain.codec, unsigned, [{ keys: [ada] }]);
  }

  test("of the same subnet may be exported to, others may not", () => {
    const replay = started();
    const row = { sequence: 0n, name: "", vmId: EMPTY_ID, fxIds: [] };
    const [sibling, stranger] = [someId("sibling"), someId("stranger")];
    replay.view.put(platformChains, { chainId: sibling }, { ...row, subnetId: EMPTY_ID });
    replay.view.put(platformChains, { chainId: stranger }, { ...row, subnetId: otherSubnet });
    replay.commit();
    expect(replay.verifyTx(exportTo(replay, sibling).bytes, 0n).unsigned.kind).toBe("ExportTx");
    expect(messageOf(() => replay.verifyTx(exportTo(replay, stranger).bytes, 0n))).toBe(
      `mismatched subnetIDs; expected "${formatId(EMPTY_ID)}" got "${formatId(otherSubnet)}"`,
    );
  });

  test("receive exported outputs with indices behind the transaction's own, and their addresses", () => {
    const replay = started();
    const tx = exportTo(replay, network.cChainId);
    accept(replay, tx);
    const row = replay.rowOf(sharedElements, { destination: network.cChainId, source: X, key: utxoId(tx.id, 1) });
    expect(row?.traits).toEqual([ada.address]);
    expect(Buffer.from(row!.bytes).toString("hex").slice(0, 76)).toBe(`0000${tx.id}00000001`);
  });
});

describe("the DAG", () => {
  const clock = 0x7fffffffn;

  test("takes no linear block before its stop vertex, and no vertex after it", () => {
    const replay = started("full", { startsAsDag: true });
    expect(messageOf(() => replay.execute(blockOf(replay, {}), clock))).toContain("its stop vertex has not been accepted");
    const facts = replay.executeVertex(replay.chain.parseVertex(emptyStopVertex(X).bytes), clock);
    expect(facts.vertex).toEqual({ vertexId: emptyStopVertex(X).id, sequence: 0n });
    expect(replay.chain.parse(facts.block!.bytes).parentId).toBe(emptyStopVertex(X).id);
    expect(messageOf(() => replay.executeVertex(emptyStopVertex(X), clock))).toContain("the chain is linear");
    replay.execute(blockOf(replay, {}), clock);
    expect(replay.scalars.height).toBe(1n);
  });

  test("ends on a network with a well-known stop vertex only with that", () => {
    const replay = start({ on: { ...network, upgrades: { ...network.upgrades, cortinaXChainStopVertexId: someId("stop") } } });
    replay.genesis(Buffer.from(LOCAL_X_GENESIS, "hex"), { startsAsDag: true });
    expect(messageOf(() => replay.executeVertex(emptyStopVertex(X), clock))).toContain("the stop vertex of this network is");
  });

  test("refuses a vertex whose parent is unknown", () => {
    const replay = started("full", { startsAsDag: true });
    const orphan = { ...emptyStopVertex(X), parentIds: [someId("parent")] };
    expect(messageOf(() => replay.executeVertex(orphan, clock))).toContain(formatId(someId("parent")));
  });

  test("executes transactions of a vertex after those that they depend on", () => {
    const replay = started();
    const first = transferOf(replay, 0);
    const made = { txId: first.id, outputIndex: 0, assetId: replay.scalars.feeAssetId, output: transferOutput(9n * FEE, ownedBy(ada)) };
    const second = sign(replay.chain.codec, { kind: "BaseTx", ...base(X, { inputs: [spending(made)] }) }, [{ keys: [ada] }]);
    const other = transferOf(replay, 1);
    expect(inDependencyOrder([second, other, first])).toEqual([first, second, other]);
    expect(inDependencyOrder([first, other, second])).toEqual([first, other, second]);
  });
});
