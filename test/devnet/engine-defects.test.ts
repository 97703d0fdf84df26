/** Defects in building blocks: they affect only the transactions concerned, never the network. */
import { afterEach, describe, expect, test, vi } from "vitest";
import { View } from "../../src/base/table/view.ts";
import { AssetIssuer } from "../../src/chains/asset/builder/asset-issuer.ts";
import { AssetChain } from "../../src/chains/asset/chain.ts";
import { blockHeights } from "../../src/index/tables.ts";
import { RuleError } from "../../src/network/execution.ts";
import { key } from "../chains/asset/wallet.ts";
import { AVAX, heightOf, startNetwork, textOf, utxoCount } from "./engine-network.ts";
import { spendEach } from "./engine-wallet.ts";

const [ada, bob] = [key("ada"), key("bob")];

afterEach(() => {
  vi.restoreAllMocks();
});

async function withTwoTransactions() {
  const { devnet } = await startNetwork();
  for (let i = 0; i < 2; i++) await devnet.fund(textOf(ada, "X"), AVAX);
  const [first, second] = await spendEach(devnet, ada, bob);
  const issue = (tx: typeof first) => devnet.issue(devnet.network.xChainId, tx!.bytes);
  return { devnet, first: first!, second: second!, issue };
}

describe("a built block that is refused", () => {
  test("is given up with its transactions, and the next one is built", async () => {
    const { devnet, first, second, issue } = await withTwoTransactions();
    vi.spyOn(AssetChain.prototype, "execute").mockImplementationOnce(() => {
      throw new RuleError("broken", "this block is broken");
    });
    expect(await issue(first)).toBe(first.id);
    expect(devnet.status(devnet.network.xChainId, first.id)).toMatchObject({ kind: "dropped" });
    await issue(second);
    expect(await heightOf(devnet, "X")).toBe(3n);
    expect(await utxoCount(devnet, "X", bob.address)).toBe(1);
  });

  test("takes no other chain's block with it", async () => {
    const { devnet, first, issue } = await withTwoTransactions();
    vi.spyOn(AssetChain.prototype, "execute").mockImplementationOnce(() => {
      throw new RuleError("broken", "this block is broken");
    });
    await Promise.all([issue(first), devnet.fund(textOf(bob, "P"), AVAX)]);
    expect(await heightOf(devnet, "X")).toBe(2n);
    expect(await utxoCount(devnet, "P", bob.address)).toBe(1);
  });
});

describe("a verification that breaks", () => {
  test("leaves nothing behind, and the next transaction is taken", async () => {
    const { devnet, first, second, issue } = await withTwoTransactions();
    const { xChainId } = devnet.network;
    const marks = vi.spyOn(View.prototype, "mark");
    vi.spyOn(AssetIssuer.prototype, "admit").mockImplementationOnce(() => {
      (marks.mock.contexts.at(-1) as View).put(blockHeights, { chainId: xChainId, blockId: first.id }, { height: 7n });
      throw new TypeError("no such thing");
    });
    await expect(issue(first)).rejects.toThrow("no such thing");
    await issue(second);
    expect(await devnet.store.get(blockHeights, { chainId: xChainId, blockId: first.id })).toBeUndefined();
    expect(await utxoCount(devnet, "X", bob.address)).toBe(1);
  });
});

describe("a builder that breaks", () => {
  test("leaves nothing of its round, says so, and the network goes on from the last commit", async () => {
    const { devnet, first, second, issue } = await withTwoTransactions();
    vi.spyOn(AssetIssuer.prototype, "build").mockImplementationOnce(() => {
      throw new TypeError("no such thing");
    });
    await expect(issue(first)).rejects.toThrow("no such thing");
    expect(await heightOf(devnet, "X")).toBe(2n);
    await issue(second);
    await issue(first);
    expect(await heightOf(devnet, "X")).toBe(4n);
  });

  test("half-way through a block leaves nothing of it", async () => {
    const { devnet, first, second, issue } = await withTwoTransactions();
    vi.spyOn(AssetIssuer.prototype, "accepted").mockImplementationOnce(() => {
      throw new TypeError("no such thing");
    });
    await expect(issue(first)).rejects.toThrow("no such thing");
    expect(await heightOf(devnet, "X")).toBe(2n);
    expect(await utxoCount(devnet, "X", bob.address)).toBe(0);
    await Promise.all([issue(second), issue(first)]);
    expect(await utxoCount(devnet, "X", bob.address)).toBe(2);
  });
});

describe("a commit of the X-chain's blocks", () => {
  /** The next commit begins when the test says so. @returns resolves when the engine asked for it */
  function holdCommit({ store }: Awaited<ReturnType<typeof withTwoTransactions>>["devnet"], failure?: Error) {
    const commit = store.commit.bind(store);
    let release = () => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    const asked = new Promise<void>((resolve) => {
      vi.spyOn(store, "commit").mockImplementationOnce(async (changes) => {
        resolve();
        await released;
        if (failure !== undefined) throw failure;
        return commit(changes);
      });
    });
    return { asked, release };
  }

  /** The second one is issued and built while the first one is committed. */
  async function issueBoth({ devnet, first, second, issue }: Awaited<ReturnType<typeof withTwoTransactions>>, failure?: Error) {
    const accepted = vi.spyOn(AssetIssuer.prototype, "accepted");
    const { asked, release } = holdCommit(devnet, failure);
    const answered: string[] = [];
    const outcomes = [issue(first).finally(() => answered.push("first"))];
    await asked;
    outcomes.push(issue(second).finally(() => answered.push("second")));
    const settled = Promise.allSettled(outcomes);
    while (accepted.mock.calls.length < 2) await new Promise((resolve) => setImmediate(resolve));
    expect([answered, await heightOf(devnet, "X")]).toEqual([[], 2n]);
    release();
    const results = await settled;
    expect(answered).toEqual(["first", "second"]);
    return results;
  }

  test("does not keep the next block waiting, and each is answered once it is in the store", async () => {
    const parts = await withTwoTransactions();
    expect((await issueBoth(parts)).map(({ status }) => status)).toEqual(["fulfilled", "fulfilled"]);
    expect(await heightOf(parts.devnet, "X")).toBe(4n);
    expect(await utxoCount(parts.devnet, "X", bob.address)).toBe(2);
  });

  test("that fails leaves nothing of the next block either, and the network goes on from the last commit", async () => {
    const parts = await withTwoTransactions();
    const failure = new Error("the disk is full");
    expect(await issueBoth(parts, failure)).toEqual([
      { status: "rejected", reason: failure },
      { status: "rejected", reason: failure },
    ]);
    expect(await heightOf(parts.devnet, "X")).toBe(2n);
    for (const tx of [parts.second, parts.first]) await parts.issue(tx);
    expect(await heightOf(parts.devnet, "X")).toBe(4n);
    expect(await utxoCount(parts.devnet, "X", bob.address)).toBe(2);
  });

  test("that fails by itself is noticed by the next task", async () => {
    const { devnet, first, issue } = await withTwoTransactions();
    vi.spyOn(devnet.store, "commit").mockImplementationOnce(async () => {
      throw new Error("the disk is full");
    });
    await expect(issue(first)).rejects.toThrow("the disk is full");
    await devnet.fund(textOf(bob, "X"), AVAX);
    expect(await heightOf(devnet, "X")).toBe(3n);
    expect(await issue(first)).toBe(first.id);
  });
});
