import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type CallFrame, type EvmBlock, isBaseFeeBound } from "../../../src/sources/evm/parser/block.ts";
import { executedFees, openBlock } from "../../../src/sources/evm/parser/block-parser.ts";
import { addressOfCreation, addressOfCreation2 } from "../../../src/sources/evm/parser/creation-address.ts";
import { EVM_RECORDINGS, type EvmRecordingName, recordingFolder } from "../../conformance/recordings.ts";
import { noncesOf } from "../../evm/replay-rpc/nonces.ts";
import { type Frame, type RecordedBlock, readRecording } from "../../evm/replay-rpc/recording.ts";
import { traceBlockForm } from "../../evm/replay-rpc/trace-block-form.ts";

interface ExpectedFrame {
  type: string;
  from: string;
  to: string | null;
  value: string;
  depth: number;
  reverted?: boolean;
  notExecuted?: boolean;
}

interface Expected {
  txs: { n: number; hash: string; status: number; created?: string | null; internal: ExpectedFrame[] }[];
}

function parseRecording(name: EvmRecordingName, tracesOf: (block: RecordedBlock) => unknown = ({ traces }) => traces ?? []): EvmBlock[] {
  const { blocks, accounts } = readRecording(recordingFolder(name));
  const nonceAt = noncesOf(blocks, accounts);
  return blocks.map((recorded) => {
    const opened = openBlock({ block: recorded.block, receipts: recorded.receipts, traces: tracesOf(recorded) });
    return opened.block(new Map(opened.creators.map((creator) => [creator, BigInt(nonceAt(`0x${creator}`, recorded.height - 1))])));
  });
}

describe.each(EVM_RECORDINGS)("the parser of %s", (name) => {
  const blocks = parseRecording(name);
  const transactions = new Map(blocks.flatMap((block) => block.transactions.map((transaction) => [transaction.hash, transaction])));
  const expected = JSON.parse(readFileSync(`${recordingFolder(name)}/expected.json`, "utf8")) as Expected;

  test("agrees with the intent of every transaction: success, created contract, calls, creations and what was undone", () => {
    const differing: unknown[] = [];
    for (const { n, hash, status, created, internal } of expected.txs) {
      const transaction = transactions.get(hash.slice(2))!;
      if (transaction.isSuccess !== (status === 1)) differing.push([n, "status"]);
      if (transaction.created !== created?.slice(2) && transaction.to === undefined)
        differing.push([n, "created", transaction.created, created]);
      const listed = transaction.frames.filter(isExpectedKind);
      for (const frame of internal) {
        const next = listed[0];
        if (next !== undefined && agree(next, frame)) listed.shift();
        else if (!frame.notExecuted) differing.push([n, frame, next]);
      }
      if (listed.length > 0) differing.push([n, "unexpected", listed]);
    }
    expect(differing).toEqual([]);
  });

  test("reads the same from trace_block", () => {
    expect(
      parseRecording(name, traceBlockForm).map(({ transactions: [...all] }) => all.map(({ frames }) => frames.map(withoutGas))),
    ).toEqual(blocks.map((block) => block.transactions.map(({ frames }) => frames.map(withoutGas))));
  });

  test("keeps what the header has", () => {
    const recorded = readRecording(recordingFolder(name)).blocks;
    for (const [height, block] of blocks.entries()) {
      const header = recorded[height]!.block;
      expect(`0x${block.hash}`).toBe(header.hash);
      expect(block.baseFee).toBe(BigInt(header.baseFeePerGas as string));
      expect(block.extraFields.extDataHash).toBe(header.extDataHash);
      expect(block.extraFields.settledHeight).toBe(header.settledHeight);
      expect(`0x${Buffer.from(block.extraData).toString("hex")}`).toBe(header.blockExtraData ?? "0x");
      expect(block.timestampMilliseconds).toBe(
        header.timestampMilliseconds === undefined ? undefined : BigInt(header.timestampMilliseconds as string),
      );
    }
  });
});

function isExpectedKind({ type, value }: CallFrame): boolean {
  return ((type === "CALL" || type === "CALLCODE") && value > 0n) || type === "CREATE" || type === "CREATE2" || type === "SELFDESTRUCT";
}

function agree(frame: CallFrame, expected: ExpectedFrame): boolean {
  // a trace says nothing of a CREATE2's salt, and anvil nothing of a contract that destroys itself in favour of itself
  const isSilent =
    (frame.type === "CREATE2" && expected.notExecuted) ||
    expected.to === null ||
    (frame.type === "SELFDESTRUCT" && expected.from === expected.to);
  return (
    frame.type === expected.type &&
    (isSilent || (`0x${frame.from}` === expected.from && `0x${frame.to}` === expected.to && frame.value === BigInt(expected.value))) &&
    frame.isReverted === (expected.reverted ?? false)
  );
}

/** a flat trace has no gas of failed calls */
function withoutGas({ gasUsed, gasLimit, codeLength, ...frame }: CallFrame): unknown {
  return { ...frame, codeLength };
}

type Answers = { block: RecordedBlock["block"]; receipts: RecordedBlock["receipts"]; traces: NonNullable<RecordedBlock["traces"]> };

describe("an answer that cannot be", () => {
  const { blocks } = readRecording(recordingFolder("evm-1"));
  const recorded = blocks.find(({ block, receipts }) => block.transactions.length > 2 && receipts.some(({ logs }) => logs.length > 1))!;

  const other = `0x${"ab".repeat(32)}`;

  test.each<[string, (answers: Answers) => void, RegExp]>([
    ["a receipt is missing", ({ receipts }) => receipts.pop(), /receipts; it must have/],
    ["receipts are of another block", ({ receipts }) => (receipts[1]!.blockHash = other), /receipts\[1\]\.blockHash/],
    ["receipts are in another order", ({ receipts }) => receipts.reverse(), /receipts\[0\]\.transactionIndex/],
    ["a receipt is of another transaction", ({ receipts }) => (receipts[0]!.transactionHash = other), /receipts\[0\]\.transactionHash/],
    ["a transaction is of another block", ({ block }) => (block.transactions[0]!.blockHash = other), /transactions\[0\]\.blockHash/],
    ["transactions are hashes only", ({ block }) => (block.transactions[0] = other as never), /transactions\[0\] is/],
    ["a trace is missing", ({ traces }) => traces.pop(), /traces of \d+ transactions/],
    ["a trace is of another transaction", ({ traces }) => (traces[0]!.txHash = other), /traces\[0\]/],
    ["a trace is of another sender", ({ traces }) => (traces[0]!.result.from = `0x${"ab".repeat(20)}`), /traces\[0\]/],
    ["a trace failed", ({ traces }) => ((traces[0] as unknown as { error: string }).error = "timeout"), /traces\[0\]\.error/],
    ["a number is none", ({ block }) => (block.transactions[0]!.value = "12"), /transactions\[0\]\.value is "12"/],
    ["an amount exceeds 256 bits", ({ block }) => (block.transactions[0]!.value = `0x1${"0".repeat(64)}`), /transactions\[0\]\.value/],
    ["a height exceeds 64 bits", ({ block }) => (block.number = `0x1${"0".repeat(16)}`), /block\.number .*below 2\^64/],
    ["gas exceeds 64 bits", ({ receipts }) => (receipts[0]!.gasUsed = `0x1${"0".repeat(16)}`), /receipts\[0\]\.gasUsed .*below 2\^64/],
    ["a type is none", ({ block }) => (block.transactions[0]!.type = "0x100"), /transactions\[0\]\.type .*up to 255/],
    ["bytes have half a byte", ({ block }) => (block.transactions[0]!.input = "0x123"), /transactions\[0\]\.input/],
    ["the block has no hash yet", ({ block }) => ((block as { hash: unknown }).hash = null), /block\.hash/],
    ["calls are no list", ({ traces }) => ((traces[0]!.result as { calls: unknown }).calls = 7), /calls is 7/],
    ["calls are nested too deep", ({ traces }) => (traces[0]!.result = nested(traces[0]!.result, 1200)), /deeper/],
    [
      "log indexes do not rise",
      ({ receipts }) => ((receipts.find(({ logs }) => logs.length > 1)!.logs[1]!.logIndex as string) = "0x0"),
      /logIndex/,
    ],
  ])("is refused: %s", (_, spoil, message) => {
    const answers = structuredClone({ block: recorded.block, receipts: recorded.receipts, traces: recorded.traces! });
    expect(() => openBlock(answers)).not.toThrow();
    spoil(answers);
    expect(() => openBlock(answers)).toThrow(message);
  });

  test("is refused in a sentence whatever stands in place of a part", () => {
    fc.assert(
      fc.property(fc.anything(), fc.constantFrom("block", "receipts", "traces"), (value, part) => {
        const answers = { block: recorded.block, receipts: recorded.receipts, traces: recorded.traces, [part]: value };
        if (part === "traces" && value === undefined) return;
        expect(() => openBlock(answers)).toThrow(expect.objectContaining({ code: "evm-answer" }));
      }),
    );
  });
});

describe("what odd chains answer", () => {
  const { blocks } = readRecording(recordingFolder("evm-1"));
  const recorded = blocks.find(({ receipts }) => receipts.filter(({ logs }) => logs.length > 1).length > 1)!;
  const parsed = (change: (answers: Answers) => void) => {
    const answers = structuredClone({ block: recorded.block, receipts: recorded.receipts, traces: recorded.traces! });
    change(answers);
    return openBlock(answers).block();
  };
  const asRecorded = parsed(() => {});

  test.each([0x7e, 0x80, 0xff])("is read: a transaction of type %i", (type) => {
    const { transactions } = parsed(({ block }) => (block.transactions[0]!.type = `0x${type.toString(16)}`));
    expect(transactions[0]).toEqual({ ...asRecorded.transactions[0], type });
  });

  test("is read as the block counts them: log indexes that begin at 0 again with each transaction", () => {
    const { transactions } = parsed(({ receipts }) => {
      for (const { logs } of receipts) for (const [index, log] of logs.entries()) log.logIndex = `0x${index.toString(16)}`;
    });
    expect(transactions).toEqual(asRecorded.transactions);
  });

  test.each([
    ["before the block's own", 0],
    ["behind the block's own", recorded.receipts.length],
  ])("is read without: receipts and traces of what a chain does by itself, %s", (_, at) => {
    const block = parsed(({ receipts, traces }) => {
      receipts.splice(at, 0, { ...receipts[0]!, transactionHash: `0x${"5e".repeat(32)}` });
      traces.splice(at, 0, { ...traces[0]!, txHash: `0x${"5e".repeat(32)}` });
    });
    expect(block).toEqual(asRecorded);
  });

  test("is read: fields that some chains leave out", () => {
    const { transactions, gasLimit } = parsed(({ block, receipts }) => {
      block.gasLimit = undefined;
      for (const transaction of block.transactions) {
        transaction.data = transaction.input;
        for (const name of ["input", "nonce", "type", "gasPrice", "maxFeePerGas", "maxPriorityFeePerGas"]) delete transaction[name];
      }
      for (const [index, receipt] of receipts.entries()) {
        receipt.effectiveGasPrice = undefined;
        receipt.depositNonce = block.transactions[index]!.to === null ? undefined : "0x7";
        for (const log of receipt.logs) if (log.data === "0x") delete log.data;
      }
    });
    expect(gasLimit).toBe(0n);
    for (const [index, transaction] of transactions.entries()) {
      const { to, ...rest } = asRecorded.transactions[index]!;
      const missing = { type: 0, gasPrice: 0n, maxFeePerGas: undefined, maxPriorityFeePerGas: undefined };
      expect(transaction).toEqual({ ...rest, to, ...missing, nonce: to === undefined ? 0n : 7n });
    }
  });

  test.each([null, "", "0x", "0x0"])("is a creation: a transaction to %j", (to) => {
    const at = recorded.block.transactions.findIndex(({ to: target }) => target !== null);
    const created = `0x${"c0".repeat(20)}`;
    const { transactions } = parsed(({ block, receipts }) => {
      (block.transactions[at] as { to: unknown }).to = to;
      receipts[at]!.contractAddress = created;
    });
    expect(transactions[at]).toMatchObject({ to: undefined, created: created.slice(2) });
  });

  test("is a success: a receipt of before Byzantium, which has a root in place of a status", () => {
    const { transactions } = parsed(({ receipts }) => {
      receipts[0]!.root = `0x${"00".repeat(32)}`;
      (receipts[0] as { status: unknown }).status = undefined;
    });
    expect(transactions[0]!.isSuccess).toBe(true);
  });
});

function nested(frame: Frame, depth: number): Frame {
  return depth === 0 ? frame : { ...frame, calls: [nested(frame, depth - 1)] };
}

describe("the base fee of a block since Helicon", () => {
  const [block] = parseRecording("evm-helicon-1").filter(({ transactions }) => transactions.length > 1);
  const [first, second] = block!.transactions;
  const { settledHeight } = block!.extraFields;
  const feesOf = (bound: bigint, ...paid: readonly [gasPrice: bigint, maxFeePerGas?: bigint, maxPriorityFeePerGas?: bigint][]) => {
    const transactions = paid.map(([gasPrice, maxFeePerGas, maxPriorityFeePerGas], i) => ({
      ...(i === 0 ? first! : second!),
      ...{ gasPrice, maxFeePerGas, maxPriorityFeePerGas },
    }));
    return executedFees({ baseFee: bound, extraFields: { settledHeight: settledHeight! } }, transactions);
  };

  test.each<[string, [bigint, bigint?, bigint?][]]>([
    ["a transaction that pays its whole tip", [[27n, 90n, 2n]]],
    ["a transaction without a tip", [[25n, 25n, 0n]]],
    [
      "two transactions, one of which could pay a part of its tip, the other one none",
      [
        [27n, 27n, 2n],
        [25n, 25n, 5n],
      ],
    ],
    ["one among others that do not tell it", [[60n], [26n, 99n, 1n]]],
  ])("is told by the price that is paid by %s, below the header's", (_, paid) => {
    const { baseFee, extraFields } = feesOf(30n, ...paid);
    expect(baseFee).toBe(25n);
    expect(extraFields).toEqual({ settledHeight, baseFeePerGas: "0x1e" });
    expect(isBaseFeeBound(extraFields)).toBe(false);
  });

  test.each<[string, bigint, [bigint, bigint?, bigint?][]]>([
    ["no transaction", 30n, []],
    ["a price without a dynamic fee", 30n, [[60n]]],
    ["a price that is all that the transaction would pay", 30n, [[27n, 27n, 5n]]],
    [
      "prices that contradict each other",
      30n,
      [
        [26n, 99n, 1n],
        [29n, 99n, 1n],
      ],
    ],
    ["a price above the header's bound", 20n, [[26n, 99n, 1n]]],
  ])("is the header's bound where there is %s", (_, bound, paid) => {
    const fees = feesOf(bound, ...paid);
    expect(fees).toEqual({ baseFee: bound, extraFields: { settledHeight } });
    expect(isBaseFeeBound(fees.extraFields)).toBe(true);
  });

  test("is the header's in a development network, whose header is Ethereum's and whose blocks are executed first", () => {
    const recorded = readRecording(recordingFolder("evm-helicon-1")).blocks[Number(block!.height)]!;
    const header = { ...recorded.block, transactions: [], baseFeePerGas: "0x5", withdrawalsRoot: `0x${"0".repeat(64)}` };
    const { baseFee, extraFields } = openBlock({ block: header, receipts: [], traces: [] }).block();
    expect([baseFee, isBaseFeeBound(extraFields)]).toEqual([5n, false]);
  });

  test("is taken of a whole block's receipts, in the place of the header's", () => {
    const recorded = readRecording(recordingFolder("evm-helicon-1")).blocks[Number(block!.height)]!;
    const header = { ...recorded.block, baseFeePerGas: "0x5d21dba00" };
    expect(openBlock({ block: header, receipts: recorded.receipts, traces: recorded.traces! }).block()).toMatchObject({
      baseFee: 1n,
      extraFields: { baseFeePerGas: "0x5d21dba00" },
    });
  });

  test("before Helicon is the header's, whatever was paid", () => {
    const extraFields = { extDataHash: "0x00" };
    expect(executedFees({ baseFee: 30n, extraFields }, [{ ...first!, gasPrice: 25n }])).toEqual({ baseFee: 30n, extraFields });
    expect(isBaseFeeBound(extraFields)).toBe(false);
  });
});

describe("addresses of creations", () => {
  test("are those of the yellow paper and of EIP-1014", () => {
    const creator = "6ac7ea33f8831ea9dcc53393aaa88b25a785dbf0";
    expect([0n, 1n, 2n].map((nonce) => addressOfCreation(creator, nonce))).toEqual([
      "cd234a471b72ba2f1ccf0a70fcaba648a5eecd8d",
      "343c43a37d37dff08ae8c4a11544c718abb4fcf8",
      "f778b86fa74e846c4f0a1fbd1335fe81c00a0c91",
    ]);
    expect(addressOfCreation2("deadbeef".padEnd(40, "0"), "0".repeat(64), Buffer.of(0))).toBe("b928f69bb1d91cd65274e3c79d8986362984fda3");
    expect(
      addressOfCreation2("00000000000000000000000000000000deadbeef", "cafebabe".padStart(64, "0"), Buffer.from("deadbeef", "hex")),
    ).toBe("60f3f640a8508fc6a86d45df051962668e1e8ac7");
  });
});
