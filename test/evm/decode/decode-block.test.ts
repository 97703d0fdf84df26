import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decodeBlock, doubtfulTokens } from "../../../src/evm/decode/decode-block.ts";
import { ERC20, ERC721, ERC1155, type TokenClass } from "../../../src/evm/facts.ts";
import type { EvmBlock, EvmLog } from "../../../src/sources/evm/parser/block.ts";
import {
  classOf,
  type IntendedBlock,
  type IntendedTransaction,
  type Intent,
  intendedBlock,
  log,
  makeBlock,
  PEOPLE,
  TOKENS,
  word,
  ZERO,
} from "./intents.ts";

const [alice, bob] = PEOPLE as [string, string];
const TRANSFER = "Transfer(address,address,uint256)";
const SINGLE = "TransferSingle(address,address,address,uint256,uint256)";
const BATCH = "TransferBatch(address,address,address,uint256[],uint256[])";
const WORDS = { alice: word(alice), bob: word(bob), five: word(5n) };

function blockOf(logs: readonly Omit<EvmLog, "index">[]): EvmBlock {
  const block = makeBlock(0n, [{ from: alice, to: bob, isSuccess: true, inputLength: 0, intents: [] }]);
  const [transaction] = block.transactions;
  return { ...block, transactions: [{ ...transaction!, logs: logs.map((log, index) => ({ ...log, index })) }] };
}

function transfersOf(logs: readonly Omit<EvmLog, "index">[], tokenClass?: TokenClass) {
  return decodeBlock(blockOf(logs), () => tokenClass).transactions[0]!.transfers;
}

function changesOf(logs: readonly Omit<EvmLog, "index">[], isWrapped = true) {
  return decodeBlock(blockOf(logs), () => ({ kind: ERC20, isWrapped })).transactions[0]!.balanceChanges;
}

/** What an intent says of transfers, without kinds of logs. */
function intendedTransfers(intent: Intent): object[] {
  switch (intent.kind) {
    case "amount":
      return [
        { kind: ERC20, token: TOKENS[intent.token], from: intent.from, to: intent.to, tokenId: 0n, value: intent.value, batchIndex: 0 },
      ];
    case "nft":
      return [
        { kind: ERC721, token: TOKENS[intent.token], from: intent.from, to: intent.to, tokenId: intent.tokenId, value: 1n, batchIndex: 0 },
      ];
    case "multi":
      return intent.entries.map((entry, batchIndex) => ({
        kind: ERC1155,
        token: TOKENS.multi,
        from: intent.from,
        to: intent.to,
        ...entry,
        batchIndex,
      }));
    case "wrap": {
      if (!intent.isTold) return [];
      const parties = intent.isDeposit ? { from: ZERO, to: intent.holder } : { from: intent.holder, to: ZERO };
      return [{ kind: ERC20, token: TOKENS[intent.token], ...parties, tokenId: 0n, value: intent.value, batchIndex: 0 }];
    }
    case "frame":
      return [];
  }
}

function intendedInternals({ intents, isSuccess }: IntendedTransaction): object[] {
  return intents.flatMap((intent) => {
    if (intent.kind !== "frame") return [];
    const { type, from, to, value, isReverted } = intent;
    const isListed = type === "CREATE" || type === "CREATE2" || ((type === "CALL" || type === "CALLCODE") && value > 0n);
    return isListed ? [{ type, from, to, value, isReverted: isReverted || !isSuccess, gasLimit: 5000n, gasUsed: 700n }] : [];
  });
}

test("gives exactly the transfers and internal transactions that were meant, in their order", () => {
  fc.assert(
    fc.property(intendedBlock, (intended: IntendedBlock) => {
      const { transactions } = decodeBlock(makeBlock(0n, intended), classOf);
      for (const [index, { transfers, internals }] of transactions.entries()) {
        const { isSuccess, intents } = intended[index]!;
        const wanted = isSuccess ? intents.flatMap(intendedTransfers) : [];
        expect(transfers.map(({ logIndex: _, ...transfer }) => transfer)).toEqual(wanted);
        expect(internals).toEqual(intendedInternals(intended[index]!));
      }
    }),
  );
});

test("asks about exactly those contracts whose logs leave something open", () => {
  fc.assert(
    fc.property(intendedBlock, (intended) => {
      const doubtful = new Set<string>();
      for (const { isSuccess, intents } of intended) {
        for (const intent of isSuccess ? intents : []) {
          if (intent.kind === "wrap" || intent.kind === "nft") doubtful.add(TOKENS[intent.token]);
          if (intent.kind === "amount" && (intent.token === "allIndexed" || intent.token === "noneIndexed"))
            doubtful.add(TOKENS[intent.token]);
        }
      }
      const block = makeBlock(0n, intended);
      expect(
        doubtfulTokens(block)
          .map(({ address }) => address)
          .sort(),
      ).toEqual([...doubtful].sort());
      const { tokens } = decodeBlock(block, classOf);
      expect(
        tokens
          .filter(({ isClassed }) => isClassed)
          .map(({ token }) => token)
          .sort(),
      ).toEqual([...doubtful].sort());
    }),
  );
});

describe("A log of another shape is no transfer:", () => {
  const { alice, bob, five } = WORDS;
  const dirty = `01${alice.slice(2)}`;
  const cases: Record<string, Omit<EvmLog, "index">> = {
    "one topic and no data": log(TOKENS.plain, TRANSFER, [], []),
    "one topic and 64 bytes": log(TOKENS.plain, TRANSFER, [], [alice, bob]),
    "two topics and 64 bytes": log(TOKENS.plain, TRANSFER, [alice], [bob, five]),
    "three topics and no data": log(TOKENS.plain, TRANSFER, [alice, bob], []),
    "three topics and 31 bytes": log(TOKENS.plain, TRANSFER, [alice, bob], [five.slice(2)]),
    "three topics and 64 bytes": log(TOKENS.plain, TRANSFER, [alice, bob], [five, five]),
    "four topics and 32 bytes": log(TOKENS.plain, TRANSFER, [alice, bob, five], [five]),
    "a sender with more than 20 bytes": log(TOKENS.plain, TRANSFER, [dirty, bob], [five]),
    "a receiver with more than 20 bytes": log(TOKENS.plain, TRANSFER, [alice, dirty], [five]),
    "no topics": { address: TOKENS.plain, topics: [], data: Buffer.from(five, "hex") },
    "a single transfer with three topics": log(TOKENS.multi, SINGLE, [alice, bob], [five, five]),
    "a single transfer with 32 bytes": log(TOKENS.multi, SINGLE, [alice, alice, bob], [five]),
    "a single transfer with 96 bytes": log(TOKENS.multi, SINGLE, [alice, alice, bob], [five, five, five]),
    "a single transfer by a dirty operator": log(TOKENS.multi, SINGLE, [dirty, alice, bob], [five, five]),
    "a batch without data": log(TOKENS.multi, BATCH, [alice, alice, bob], []),
    "a batch with one array": log(TOKENS.multi, BATCH, [alice, alice, bob], [word(64n), word(96n), word(0n)]),
    "a batch of unequal arrays": log(
      TOKENS.multi,
      BATCH,
      [alice, alice, bob],
      [word(64n), word(128n), word(1n), five, word(2n), five, five, five],
    ),
    "a batch whose lengths differ in a fitting whole": log(
      TOKENS.multi,
      BATCH,
      [alice, alice, bob],
      [word(64n), word(160n), word(2n), five, five, word(1n), five, five],
    ),
    "a batch that points behind its end": log(
      TOKENS.multi,
      BATCH,
      [alice, alice, bob],
      [word(64n), word(1024n), word(1n), five, word(1n), five],
    ),
    "a batch of 2^64": log(TOKENS.multi, BATCH, [alice, alice, bob], [word(64n), word(128n), word(2n ** 64n), five, word(2n ** 64n), five]),
    "a batch whose arrays are one": log(TOKENS.multi, BATCH, [alice, alice, bob], [word(64n), word(64n), word(1n), five]),
    "a batch with bytes to spare": log(
      TOKENS.multi,
      BATCH,
      [alice, alice, bob],
      [word(64n), word(128n), word(1n), five, word(1n), five, five, five],
    ),
    "a batch that ends within a word": {
      ...log(TOKENS.multi, BATCH, [alice, alice, bob], []),
      data: Buffer.from([word(64n), word(128n), word(1n), five, word(1n), five, "00"].join(""), "hex"),
    },
  };
  for (const [name, shaped] of Object.entries(cases)) {
    test(name, () => {
      for (const kind of [ERC20, ERC721, ERC1155, undefined] as const) expect(transfersOf([shaped], { kind, isWrapped: true })).toEqual([]);
    });
  }
});

describe("The contract's class decides where the logs do not:", () => {
  const { alice, bob, five } = WORDS;
  const four = log(TOKENS.nft, TRANSFER, [alice, bob, five], []);
  const none = log(TOKENS.nft, TRANSFER, [], [alice, bob, five]);
  test.each([
    [ERC20, ERC20, ERC20],
    [ERC721, ERC721, ERC721],
    [ERC1155, ERC721, undefined],
    [undefined, ERC721, undefined],
  ] as const)("of class %s, four topics are %s and one is %s", (kind, ofFour, ofNone) => {
    expect(transfersOf([four], { kind, isWrapped: false }).map(({ kind }) => kind)).toEqual([ofFour]);
    expect(transfersOf([none], { kind, isWrapped: false }).map(({ kind }) => kind)).toEqual(ofNone === undefined ? [] : [ofNone]);
  });

  test("an amount has no ID, an NFT no amount but one", () => {
    expect(transfersOf([four], { kind: ERC20, isWrapped: false })).toMatchObject([{ tokenId: 0n, value: 5n }]);
    expect(transfersOf([four], undefined)).toMatchObject([{ tokenId: 5n, value: 1n }]);
  });
});

test("A batch may have as many tokens as a block's gas pays for", () => {
  const count = 150_000;
  const list = Buffer.alloc(32 * (count + 1));
  list.writeUInt32BE(count, 28);
  const head = Buffer.from(word(64n) + word(64n + 32n * BigInt(count + 1)), "hex");
  const batch = { ...log(TOKENS.multi, BATCH, [WORDS.alice, WORDS.alice, WORDS.bob], []), data: Buffer.concat([head, list, list]) };
  expect(transfersOf([batch], undefined)).toHaveLength(count);
});

describe("A log of a whole range of IDs", () => {
  const MOST = 2n ** 256n - 1n;
  const range = (first: bigint, last: bigint, parties = [word(ZERO), WORDS.alice]) =>
    log(TOKENS.nft, "ConsecutiveTransfer(uint256,uint256,address,address)", [word(first), ...parties], [word(last)]);
  /** @param gasUsed of the transaction */
  const idsOf = (logs: readonly Omit<EvmLog, "index">[], gasUsed = 3_000_000n) => {
    const [transaction] = makeBlock(0n, [{ from: alice, to: bob, isSuccess: true, inputLength: 0, intents: [] }]).transactions;
    const whole = { ...transaction!, gasUsed, logs: logs.map((each, index) => ({ ...each, index })) };
    const { transactions } = decodeBlock({ ...makeBlock(0n, []), transactions: [whole] }, classOf);
    return transactions[0]!.transfers.map(({ tokenId }) => tokenId);
  };

  test("moves each of them, as an ERC-721 transfer of its own", () => {
    expect(transfersOf([range(5n, 5n), range(MOST - 1n, MOST)], undefined)).toEqual(
      [5n, MOST - 1n, MOST].map((tokenId, i) => ({
        kind: ERC721,
        token: TOKENS.nft,
        from: ZERO,
        to: alice,
        tokenId,
        value: 1n,
        logIndex: i === 0 ? 0 : 1,
        batchIndex: i === 2 ? 1 : 0,
      })),
    );
  });

  test("moves none if there are more than collections make at once, or none at all", () => {
    expect(idsOf([range(1n, 5000n)])).toHaveLength(5000);
    for (const [first, last] of [
      [1n, 5001n],
      [0n, MOST],
      [1n, MOST],
      [6n, 5n],
      [MOST, 0n],
    ] as const)
      expect(idsOf([range(first, last)])).toEqual([]);
  });

  test("moves no more than the gas of its transaction could have paid for", () => {
    const ranges = Array.from({ length: 10 }, (_, i) => range(BigInt(i) * 5000n, BigInt(i) * 5000n + 4999n));
    expect(idsOf(ranges)).toHaveLength(10_000);
    expect(idsOf([...ranges, range(0n, 1999n)])).toHaveLength(12_000);
    expect(idsOf(ranges, 1_249_999n)).toEqual([]);
  });

  test("moves nothing if it is of another shape", () => {
    const { five } = WORDS;
    const shaped = range(5n, 5n);
    const dirty = `01${WORDS.alice.slice(2)}`;
    const others = [
      { ...shaped, data: Buffer.alloc(0) },
      { ...shaped, data: Buffer.from(five + five, "hex") },
      { ...shaped, topics: shaped.topics.slice(0, 3) },
      range(5n, 5n, [dirty, WORDS.alice]),
      range(5n, 5n, [WORDS.alice, dirty]),
    ];
    expect(idsOf(others)).toEqual([]);
  });
});

describe("Deposits and withdrawals", () => {
  const deposit = log(TOKENS.wrapped, "Deposit(address,uint256)", [WORDS.alice], [WORDS.five]);
  const withdrawal = log(TOKENS.wrapped, "Withdrawal(address,uint256)", [WORDS.alice], [WORDS.five]);
  const mint = log(TOKENS.wrapped, TRANSFER, [word(ZERO), WORDS.alice], [WORDS.five]);
  const burn = log(TOKENS.wrapped, TRANSFER, [WORDS.alice, word(ZERO)], [WORDS.five]);

  test("change the balance of their holder and are no transfers", () => {
    expect(changesOf([deposit, withdrawal])).toEqual([
      { token: TOKENS.wrapped, holder: alice, change: 5n },
      { token: TOKENS.wrapped, holder: alice, change: -5n },
    ]);
    expect(transfersOf([deposit, withdrawal], { kind: ERC20, isWrapped: true })).toEqual([]);
  });

  test("change nothing of a contract that is no wrapped token", () => {
    expect(changesOf([deposit, withdrawal], false)).toEqual([]);
  });

  test("count once with a transfer that says the same, as often as it is said", () => {
    expect(changesOf([deposit, mint])).toEqual([]);
    expect(changesOf([mint, deposit, deposit])).toHaveLength(1);
    expect(changesOf([burn, withdrawal])).toEqual([]);
    expect(changesOf([mint, withdrawal])).toMatchObject([{ change: -5n }]);
    expect(changesOf([burn, deposit])).toMatchObject([{ change: 5n }]);
  });

  test("are not matched with another contract's, holder's or amount's transfer, nor with one that is no mint", () => {
    const others = [
      { ...mint, address: TOKENS.plain },
      log(TOKENS.wrapped, TRANSFER, [word(ZERO), WORDS.bob], [WORDS.five]),
      log(TOKENS.wrapped, TRANSFER, [word(ZERO), WORDS.alice], [word(6n)]),
      log(TOKENS.wrapped, TRANSFER, [WORDS.bob, WORDS.alice], [WORDS.five]),
    ];
    for (const other of others) expect(changesOf([deposit, other])).toHaveLength(1);
  });

  test("of another shape change nothing", () => {
    expect(changesOf([log(TOKENS.wrapped, "Deposit(address,uint256)", [], [WORDS.alice, WORDS.five])])).toEqual([]);
    expect(changesOf([log(TOKENS.wrapped, "Deposit(address,uint256)", [WORDS.alice], [])])).toEqual([]);
    expect(changesOf([log(TOKENS.wrapped, "Deposit(address,uint256)", [`ff${WORDS.alice.slice(2)}`], [WORDS.five])])).toEqual([]);
  });
});

describe("Deployments", () => {
  const create = { kind: "frame", type: "CREATE2", from: bob, to: TOKENS.nft, value: 0n, isReverted: false } as const;
  const deploymentsOf = (transaction: Partial<IntendedTransaction>) => {
    const whole = { from: alice, to: bob, isSuccess: true, inputLength: 0, intents: [], ...transaction };
    return decodeBlock(makeBlock(0n, [whole]), classOf).transactions[0]!.deployments;
  };

  test("are the transaction's own contract first, then those of factories", () => {
    expect(deploymentsOf({ to: undefined, intents: [create, create] })).toEqual([
      { contract: expect.stringMatching(/^[0-9a-f]{40}$/), deployer: alice, factory: undefined },
      { contract: TOKENS.nft, deployer: alice, factory: bob },
      { contract: TOKENS.nft, deployer: alice, factory: bob },
    ]);
  });

  test("are none of a failed transaction, nor of a frame that was reverted", () => {
    expect(deploymentsOf({ to: undefined, isSuccess: false, intents: [create] })).toEqual([]);
    expect(deploymentsOf({ intents: [{ ...create, isReverted: true }] })).toEqual([]);
  });
});
