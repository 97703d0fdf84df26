import { describe, expect, test } from "vitest";
import { formatId } from "../../../../src/base/bytes/cb58.ts";
import { PLATFORM_CHAIN_ID } from "../../../../src/base/bytes/id.ts";
import { utxoId } from "../../../../src/base/bytes/utxo-id.ts";
import { encodeVersioned } from "../../../../src/base/codec/codec.ts";
import type { InitialState } from "../../../../src/chains/asset/transfer.ts";
import type { SignedTx } from "../../../../src/chains/asset/tx/registry.ts";
import { MAX_MEMPOOL_BYTES, MAX_TX_BYTES } from "../../../../src/chains/mempool/mempool.ts";
import { base, key, network, ownedBy, sign, someId, spending, transferOutput } from "../wallet.ts";
import { messageOf } from "../x-chain.ts";
import { ada, COIN, FEE, Issuing } from "./issuing.ts";

const bob = key("bob");
const X = network.xChainId;

describe("issued transactions of an asset chain", () => {
  test("go into one block in the order of their arrival, at the clock's time", () => {
    const issuing = new Issuing();
    const txs = [2, 0, 1].map((index) => issuing.transfer([issuing.genesisCoin(index)]));
    for (const tx of txs) issuing.issue(tx);
    issuing.clock += 7n;
    const { time, txs: blockTxs } = issuing.replay.chain.parse(issuing.accept()!.bytes);
    expect(time).toBe(issuing.clock);
    expect(blockTxs.map(({ id }) => id)).toEqual(txs.map(({ id }) => id));
    expect(issuing.build()).toBeUndefined();
  });

  test("stand in a block that is no older than its parent when the clock is behind", () => {
    const issuing = new Issuing();
    issuing.issue(issuing.transfer([issuing.genesisCoin(0)]));
    issuing.clock -= 5n;
    expect(issuing.accept()?.timestamp).toBe(issuing.clock + 5n);
  });

  test("are processing while they wait, and nothing any more once they are accepted", () => {
    const issuing = new Issuing();
    const tx = issuing.transfer([issuing.genesisCoin(0)]);
    expect(issuing.issuer.status(tx.id)).toBeUndefined();
    issuing.issue(tx);
    expect(issuing.issuer.status(tx.id)).toEqual({ kind: "processing" });
    issuing.accept();
    expect(issuing.issuer.status(tx.id)).toBeUndefined();
  });

  test("may be issued again while they wait", () => {
    const issuing = new Issuing();
    const tx = issuing.transfer([issuing.genesisCoin(0)]);
    issuing.issue(tx);
    issuing.issue(tx);
    expect(issuing.acceptAll()).toEqual([[tx.id]]);
  });

  test("leave the view as it was", () => {
    const issuing = new Issuing();
    const first = issuing.transfer([issuing.genesisCoin(0)]);
    issuing.issue(first);
    issuing.issue(issuing.transfer(issuing.coinsOf(first)));
    expect(issuing.replay.commit()).toBe(0);
  });

  test("are refused with the text of their verification, and with the same text again while it is remembered", () => {
    const issuing = new Issuing();
    const tx = issuing.transfer([issuing.genesisCoin(0)], { signer: bob });
    const text = messageOf(() => issuing.issue(tx));
    expect(text).toContain("wrong signature");
    expect(issuing.issuer.status(tx.id)).toEqual({ kind: "dropped", reason: text });
    expect(messageOf(() => issuing.issue(tx))).toBe(text);
  });

  test("that are time locked are verified again, since the clock may have been moved", () => {
    const issuing = new Issuing();
    const locked = issuing.transfer([issuing.genesisCoin(0)], { locktime: issuing.clock + 100n });
    issuing.issue(locked);
    issuing.accept();
    const tx = issuing.transfer(issuing.coinsOf(locked));
    expect(messageOf(() => issuing.issue(tx))).toContain("time locked");
    issuing.clock += 100n;
    issuing.issue(tx);
    expect(issuing.acceptAll()).toEqual([[tx.id]]);
  });

  test("above 64 KiB are refused", () => {
    const issuing = new Issuing();
    const tx = issuing.transfer([issuing.genesisCoin(0)], { parts: 900 });
    expect(messageOf(() => issuing.issue(tx))).toBe(`tx too large: ${formatId(tx.id)} size (${tx.bytes.length}) > max size (65536)`);
  });
});

describe("transactions that build on others that wait", () => {
  test("are accepted with them, in one block", () => {
    const issuing = new Issuing();
    const first = issuing.transfer([issuing.genesisCoin(0)], { parts: 2 });
    const second = issuing.transfer([issuing.coinsOf(first)[0]!]);
    const third = issuing.transfer([issuing.coinsOf(first)[1]!, ...issuing.coinsOf(second)]);
    for (const tx of [first, second, third]) issuing.issue(tx);
    expect(issuing.acceptAll()).toEqual([[first.id, second.id, third.id]]);
  });

  test("may build on 256 others, not on more", () => {
    const issuing = new Issuing();
    const chain = [issuing.transfer([issuing.genesisCoin(0)])];
    while (chain.length <= 257) chain.push(issuing.transfer(issuing.coinsOf(chain[chain.length - 1]!)));
    const tooFar = chain.pop()!;
    for (const tx of chain) issuing.issue(tx);
    expect(messageOf(() => issuing.issue(tooFar))).toContain("not found");
    expect(issuing.acceptAll().flat()).toEqual(chain.map(({ id }) => id));
  });

  test("are refused when what they build on is unknown, spent or signed by somebody else", () => {
    const issuing = new Issuing();
    const first = issuing.transfer([issuing.genesisCoin(0)]);
    const second = issuing.transfer(issuing.coinsOf(first));
    expect(messageOf(() => issuing.issue(second))).toContain("not found");
    issuing.issue(first);
    const other = issuing.transfer(issuing.coinsOf(first), { memo: Buffer.from("other") });
    issuing.issue(other);
    const late = issuing.transfer(issuing.coinsOf(first), { memo: Buffer.from("late") });
    expect(messageOf(() => issuing.issue(late))).toBe(`tx conflicts with other tx: ${formatId(late.id)}`);
    const stolen = issuing.transfer(issuing.coinsOf(other), { signer: bob });
    expect(messageOf(() => issuing.issue(stolen))).toContain("wrong signature");
    expect(issuing.acceptAll()).toEqual([[first.id, other.id]]);
  });

  test("may move an asset that waits to be created", () => {
    const issuing = new Issuing();
    const { codec } = issuing.replay.chain;
    const { feeAssetId } = issuing.replay.scalars;
    const feeOf = (index: number) =>
      spending({ txId: feeAssetId, outputIndex: index, assetId: feeAssetId, output: transferOutput(COIN, ownedBy(ada)) });
    const initialStates: InitialState[] = [{ fxIndex: 0, outputs: [transferOutput(5n, ownedBy(ada))] }];
    const fields = { name: "Coin", symbol: "COIN", denomination: 0, initialStates };
    const create = sign(codec, { kind: "CreateAssetTx", ...base(X, { inputs: [feeOf(0), feeOf(1)] }), ...fields }, [
      { keys: [ada] },
      { keys: [ada] },
    ]);
    const asset = spending({ txId: create.id, outputIndex: 0, assetId: create.id, output: transferOutput(5n, ownedBy(ada)) });
    const outputs = [{ assetId: create.id, output: transferOutput(5n, ownedBy(bob)) }];
    const move = sign(codec, { kind: "BaseTx", ...base(X, { inputs: [feeOf(2), asset], outputs }) }, [{ keys: [ada] }, { keys: [ada] }]);
    issuing.issue(create);
    issuing.issue(move);
    expect(issuing.acceptAll()).toEqual([[create.id, move.id]]);
  });

  test("are given up together with what they build on", () => {
    const issuing = new Issuing();
    const first = issuing.transfer([issuing.genesisCoin(0)]);
    const second = issuing.transfer(issuing.coinsOf(first));
    const other = issuing.transfer([issuing.genesisCoin(1)]);
    for (const tx of [first, second, other]) issuing.issue(tx);
    issuing.issuer.drop([first.id], "a defect");
    expect(issuing.issuer.status(second.id)).toEqual({ kind: "dropped", reason: "a defect" });
    expect(issuing.acceptAll()).toEqual([[other.id]]);
  });
});

describe("transactions that conflict", () => {
  test("are rejected once the other one is accepted, whenever they were issued", () => {
    const issuing = new Issuing();
    const coins = [issuing.genesisCoin(0)];
    const winner = issuing.transfer(coins);
    const [early, late] = ["early", "late"].map((memo) => issuing.transfer(coins, { memo: Buffer.from(memo) }));
    issuing.issue(winner);
    expect(messageOf(() => issuing.issue(early!))).toBe(`tx conflicts with other tx: ${formatId(early!.id)}`);
    expect(issuing.issuer.status(early!.id)?.kind).toBe("dropped");
    issuing.accept();
    expect(issuing.issuer.status(early!.id)).toEqual({ kind: "rejected" });
    expect(messageOf(() => issuing.issue(late!))).toContain("not found");
    expect(issuing.issuer.status(late!.id)).toEqual({ kind: "rejected" });
    expect(messageOf(() => issuing.issue(winner))).toContain("not found");
    expect(issuing.issuer.status(winner.id)?.kind).toBe("dropped");
  });

  test("on what another chain exported are refused while the first one waits", () => {
    const issuing = new Issuing();
    const { codec } = issuing.replay.chain;
    const { feeAssetId: assetId } = issuing.replay.scalars;
    const exported = { txId: someId("export"), outputIndex: 0, assetId, output: transferOutput(COIN, ownedBy(ada)) };
    const traits = [ada.address];
    issuing.replay.receive(PLATFORM_CHAIN_ID, [{ key: utxoId(exported.txId, 0), bytes: encodeVersioned(codec.utxo, exported), traits }]);
    const take = (amount: bigint) => {
      const outputs = [{ assetId, output: transferOutput(amount, ownedBy(ada)) }];
      const fields = { sourceChain: PLATFORM_CHAIN_ID, importedInputs: [spending(exported)] };
      return sign(codec, { kind: "ImportTx", ...base(X, { outputs }), ...fields }, [{ keys: [ada] }]);
    };
    const [first, second] = [take(COIN - FEE), take(COIN - 2n * FEE)];
    issuing.issue(first);
    expect(messageOf(() => issuing.issue(second))).toBe(`tx conflicts with other tx: ${formatId(second.id)}`);
    expect(issuing.acceptAll()).toEqual([[first.id]]);
    expect(issuing.issuer.status(second.id)).toEqual({ kind: "rejected" });
  });
});

describe("transactions of the wallet", () => {
  const viaWallet = { viaWallet: true };

  test("are taken one at a time, the next one when the one before it is accepted", () => {
    const issuing = new Issuing();
    const first = issuing.transfer([issuing.genesisCoin(0)]);
    const second = issuing.transfer(issuing.coinsOf(first));
    for (const tx of [first, second, second]) issuing.issue(tx, viaWallet);
    expect([first, second].map(({ id }) => issuing.issuer.status(id)?.kind)).toEqual(["processing", undefined]);
    expect(issuing.accept()?.txIds).toEqual([first.id]);
    expect(issuing.issuer.status(second.id)?.kind).toBe("processing");
    expect(issuing.accept()?.txIds).toEqual([second.id]);
  });

  test("are not verified when they are issued, but before they go into a block", () => {
    const issuing = new Issuing();
    const wrong = issuing.transfer([issuing.genesisCoin(0)], { signer: bob });
    const right = issuing.transfer([issuing.genesisCoin(0)]);
    issuing.issue(wrong, viaWallet);
    issuing.issue(right, viaWallet);
    expect(issuing.acceptAll()).toEqual([[right.id]]);
    expect(issuing.issuer.status(wrong.id)?.kind).toBe("rejected");
  });

  test("are refused by the mempool only if no other one is before them", () => {
    const issuing = new Issuing();
    const waiting = issuing.transfer([issuing.genesisCoin(0)]);
    const conflicting = issuing.transfer([issuing.genesisCoin(0)], { memo: Buffer.from("other") });
    issuing.issue(waiting);
    expect(messageOf(() => issuing.issue(conflicting, viaWallet))).toBe(`tx conflicts with other tx: ${formatId(conflicting.id)}`);
    const before = issuing.transfer([issuing.genesisCoin(1)]);
    const after = issuing.transfer([issuing.genesisCoin(2)]);
    for (const tx of [before, conflicting, after]) issuing.issue(tx, viaWallet);
    expect(issuing.acceptAll()).toEqual([[waiting.id, before.id], [after.id]]);
  });

  test("may be in the mempool already", () => {
    const issuing = new Issuing();
    const tx = issuing.transfer([issuing.genesisCoin(0)]);
    issuing.issue(tx);
    issuing.issue(tx, viaWallet);
    expect(issuing.acceptAll()).toEqual([[tx.id]]);
  });
});

describe("limits", () => {
  test("a block has at most 128 KiB of transactions, and what is left comes next", () => {
    const issuing = new Issuing(8);
    const txs = Array.from({ length: 5 }, (_, index) => issuing.transfer([issuing.genesisCoin(index)], { parts: 500 }));
    for (const tx of txs) issuing.issue(tx);
    const fitting = Math.floor((128 * 1024) / txs[0]!.bytes.length);
    expect(issuing.acceptAll().map((block) => block.length)).toEqual([fitting, 5 - fitting]);
  });

  test("a mempool holds 64 MiB, and a full one drops no transaction for that", () => {
    const most = MAX_MEMPOOL_BYTES / MAX_TX_BYTES;
    const issuing = new Issuing(most + 1);
    // as small as they are verified fast, and as large as may be to the mempool
    const bytes = Buffer.alloc(MAX_TX_BYTES);
    const large = (index: number) => ({ ...issuing.transfer([issuing.genesisCoin(index)]), bytes });
    const admit = (tx: SignedTx) => {
      issuing.replay.fetch(issuing.issuer.admissionKeys(tx));
      issuing.issuer.admit(tx, issuing.replay.context(issuing.clock));
    };
    const fitting = Array.from({ length: most }, (_, index) => large(index));
    for (const tx of fitting) admit(tx);
    const tooMany = large(most);
    expect(messageOf(() => admit(tooMany))).toBe(`mempool is full: ${formatId(tooMany.id)} size (65536) > available space (0)`);
    expect(issuing.issuer.status(tooMany.id)).toBeUndefined();
    issuing.issuer.drop([fitting[0]!.id], "to make room");
    admit(tooMany);
    expect(issuing.issuer.status(tooMany.id)).toEqual({ kind: "processing" });
  });

  test("nothing is left after the state went back", () => {
    const issuing = new Issuing();
    const tx = issuing.transfer([issuing.genesisCoin(0)]);
    issuing.issue(tx, { viaWallet: true });
    issuing.issuer.clear();
    expect(issuing.build()).toBeUndefined();
    expect(issuing.issuer.status(tx.id)).toBeUndefined();
  });
});
