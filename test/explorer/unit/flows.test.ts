import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type AssetAmount,
  difference,
  type Flow,
  flowsOf,
  isChange,
  otherHalves,
  stakesOf,
  type Transaction,
} from "../../../explorer/src/screens/primary/flows.ts";
import { memoText } from "../../../explorer/src/screens/primary/memo.ts";
import { mayBeProposal, realType, txType, txTypesOf } from "../../../explorer/src/screens/primary/tx-types.ts";
import { txTypes as assetTypes } from "../../../src/chains/asset/tx/registry.ts";
import { definitions } from "../../../src/chains/platform/tx/registry.ts";

const AVAX: AssetAmount = { assetId: "avax", name: "Avalanche", symbol: "AVAX", denomination: 9, type: "secp256k1", amount: "1" };

function flow(members: Partial<Flow>): Flow {
  const none = { threshold: 1, locktime: 0n, isStake: false, isStaked: false, credentials: [] };
  return { ...none, id: "utxo", asset: AVAX, owners: ["custom1a"], kind: "transfer", createdOn: "P", consumedOn: "P", ...members };
}

describe("sums of a transaction", () => {
  const amounts = fc.array(
    fc.record({
      assetId: fc.constantFrom("a", "b", "c"),
      type: fc.constantFrom("secp256k1" as const, "nft" as const),
      amount: fc.bigInt({ min: 0n, max: 2n ** 64n }),
    }),
    { maxLength: 8 },
  );
  test("say of each asset how much was burned or minted, to the last digit", () => {
    fc.assert(
      fc.property(amounts, amounts, (consumed, created) => {
        const asAmounts = (list: typeof consumed) => list.map((each) => ({ ...AVAX, ...each, amount: `${each.amount}` }));
        const { burned, minted } = difference(asAmounts(consumed), asAmounts(created));
        for (const assetId of ["a", "b", "c"]) {
          for (const type of ["secp256k1", "nft"]) {
            const is = (each: { assetId: string; type: string }) => each.assetId === assetId && each.type === type;
            const sum = (list: typeof consumed) => list.filter(is).reduce((total, { amount }) => total + amount, 0n);
            const rest = sum(consumed) - sum(created);
            expect(burned.filter(is).map(({ amount }) => amount)).toEqual(rest > 0n ? [`${rest}`] : []);
            expect(minted.filter(is).map(({ amount }) => amount)).toEqual(rest < 0n ? [`${-rest}`] : []);
          }
        }
      }),
    );
  });
});

describe("the other half of a transfer between chains", () => {
  const half = (flows: { inputs?: Flow[]; outputs?: Flow[] }) => otherHalves({ inputs: [], outputs: [], rewards: [], ...flows }, "P");

  test("of an import are the exports, each once", () => {
    const inputs = [flow({ createdBy: "own" }), ...["e1", "e2", "e1"].map((createdBy) => flow({ createdOn: "X", createdBy }))];
    expect(half({ inputs })).toEqual([{ is: "export", chainId: "X", txIds: ["e1", "e2"], waiting: 0 }]);
  });

  test("of an export are the imports, and what waits for one", () => {
    const outputs = [
      flow({ spentBy: "own" }),
      flow({ consumedOn: "C", spentBy: "i1" }),
      flow({ consumedOn: "C" }),
      flow({ consumedOn: "C" }),
    ];
    expect(half({ outputs })).toEqual([{ is: "import", chainId: "C", txIds: ["i1"], waiting: 2 }]);
  });

  test("is none for accounts and for outputs that stay", () => {
    const account = flow({ account: "0x01", createdOn: undefined, consumedOn: undefined });
    expect(half({ inputs: [account, flow({})], outputs: [account, flow({ spentBy: "later" })] })).toEqual([]);
  });
});

describe("an output is change", () => {
  const inputs = [flow({ owners: ["custom1a", "custom1b"], threshold: 2 })];
  test("if the owners of an input get the same asset back", () => {
    expect(isChange(flow({ owners: ["custom1b", "custom1a"], threshold: 2 }), inputs)).toBe(true);
  });
  test.each([
    ["fewer of them must sign", { owners: ["custom1a", "custom1b"], threshold: 1 }],
    ["it has other owners", { owners: ["custom1a"], threshold: 2 }],
    ["it is another asset", { owners: ["custom1a", "custom1b"], threshold: 2, asset: { ...AVAX, assetId: "other" } }],
    ["another chain consumes it", { owners: ["custom1a", "custom1b"], threshold: 2, consumedOn: "C" }],
    ["it is a stake", { owners: ["custom1a", "custom1b"], threshold: 2, isStake: true }],
    ["it is a right", { owners: ["custom1a", "custom1b"], threshold: 2, kind: "mint" }],
  ])("but not if %s", (_, members) => expect(isChange(flow(members), inputs)).toBe(false));
});

describe("flows", () => {
  test("keep locks apart, know stakes by their numbers, and rewards from own outputs", () => {
    const utxo = (members: object) => ({
      utxoId: "u",
      addresses: ["custom1a"],
      asset: AVAX,
      createdOnChainId: "P",
      consumedOnChainId: "P",
      threshold: 1,
      ...members,
    });
    const tx = {
      txHash: "tx",
      consumedUtxos: [],
      emittedUtxos: [
        utxo({ txHash: "tx", outputIndex: 0, platformLocktime: "18446744073709551615" }),
        utxo({ txHash: "tx", outputIndex: 1, stakeableLocktime: 7, staked: true }),
        utxo({ txHash: "tx", outputIndex: 2, rewardType: "VALIDATOR" }),
      ],
    } as unknown as Transaction;
    const { outputs, rewards } = flowsOf(tx, stakesOf({ outputs: [{}], stake: [{}] }));
    expect(outputs.map(({ isStake, locktime, stakeableLocktime }) => [isStake, locktime, stakeableLocktime])).toEqual([
      [false, 2n ** 64n - 1n, undefined],
      [true, 0n, 7n],
    ]);
    expect(rewards.map(({ reward }) => reward)).toEqual(["VALIDATOR"]);
  });

  test("have no stakes if the node's answer has none", () => {
    expect([stakesOf(undefined), stakesOf({}), stakesOf({ outputs: "x", stake: null })]).toEqual([new Set(), new Set(), new Set()]);
  });
});

describe("types of transactions", () => {
  test("have a sentence each, whatever the chain has", () => {
    const known = { P: definitions.map(({ name }) => name), X: assetTypes.map(({ name }) => name), C: ["ImportTx", "ExportTx"] } as const;
    for (const chain of ["P", "X", "C"] as const) {
      expect([...txTypesOf(chain)].sort()).toEqual([...known[chain]].sort());
      for (const type of known[chain]) expect(txType(chain, type).text).toMatch(/^[A-Z].*\.$/);
    }
  });

  test("that the API does not name are known by the node's JSON", () => {
    expect(realType("UNKNOWN", { txID: "a", timestamp: 1 })).toBe("RewardAutoRenewedValidatorTx");
    expect(realType("UNKNOWN", { txID: "a", period: 1, auth: {} })).toBe("SetAutoRenewedValidatorConfigTx");
    expect(realType("UNKNOWN", { stake: [], period: 1, validatorAuthority: {} })).toBe("AddAutoRenewedValidatorTx");
    expect(realType("UNKNOWN", { other: 1 })).toBe("UNKNOWN");
    expect(realType("BaseTx", { txID: "a", timestamp: 1 })).toBe("BaseTx");
    expect(txType("P", "__proto__").name).toBe("__proto__");
  });

  test("that are proposals are those that the network votes on", () => {
    expect(txTypesOf("P").filter(mayBeProposal).sort()).toEqual(
      [
        "AddDelegatorTx",
        "AddSubnetValidatorTx",
        "AddValidatorTx",
        "AdvanceTimeTx",
        "RewardAutoRenewedValidatorTx",
        "RewardValidatorTx",
      ].sort(),
    );
  });
});

describe("a memo", () => {
  test("is a text only if it is UTF-8", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", minLength: 1 }), (text) => {
        expect(memoText(`0x${Buffer.from(text).toString("hex")}`)).toBe(text);
      }),
    );
    expect(memoText("0xff")).toBeUndefined();
    expect(memoText("0x")).toBeUndefined();
    expect(memoText("0xefbbbf41")).toBe("\ufeffA");
  });
});
