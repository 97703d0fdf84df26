import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { EMPTY_ID } from "../../../src/base/bytes/id.ts";
import { encodeRlpInteger, encodeRlpList, encodeRlpString, readRlp, rlpItems } from "../../../src/base/codec/rlp.ts";
import { encodeCChainBlock, hashExtraData, parseCChainBlock } from "../../../src/chains/atomic/block.ts";
import { unwrapBlock } from "../../../src/network/proposervm.ts";
import { AnswerError } from "../../../src/sources/evm/parser/answer-object.ts";
import { cChainBlockOfRpc } from "../../../src/sources/evm/parser/c-chain-block.ts";
import { batchBlock } from "../../chains/atomic/vectors.ts";
import { bytesOf, readLines } from "../../conformance/json-lines.ts";
import { recordingFolder } from "../../conformance/recordings.ts";
import { cChainAnswer } from "../upstream/c-chain-answer.ts";

interface RecordedBlock {
  readonly height: number;
  readonly id: string;
  readonly container: string | null;
  readonly block: BlockAnswer;
}

type BlockAnswer = Readonly<Record<string, unknown>> & { readonly transactions: readonly Readonly<Record<string, unknown>>[] };

interface Sample {
  readonly method: string;
  readonly params: readonly [string, boolean?];
  readonly answer: { readonly result: unknown };
}

const batch = parseCChainBlock(batchBlock.bytes, 0n);
const NO_UNCLES = "0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347";
const ORDERED_ROOT_OF_NONE = "0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421";
const [hash, number] = [{ bytes: 32 }, { bits: 64 }];
/** chain-formats 9.2 */
const HEADER: readonly ({ bytes: number } | { bits: number })[] = [
  ...[hash, hash, { bytes: 20 }, hash, hash, hash, { bytes: 256 }],
  ...[number, number, number, number, number, { bytes: 33 }, hash, { bytes: 8 }],
  ...[hash, { bits: 120 }, number, number, number, number, hash, number, number],
  ...[number, number, number, number, number, number],
];

/** keccak256 of the RLP of no bytes */
const NO_EXTRA_DATA = `0x${hashExtraData(new Uint8Array())}`;

const networkBlocks = (name: "live-1" | "eras-1" | "latest-1") => [...readLines<RecordedBlock>(recordingFolder(name), "blocks/C.jsonl")];
const evmBlocks = (name: "evm-1" | "evm-helicon-1" | "evm-anvil-1") => [...readLines<RecordedBlock>(recordingFolder(name), "C.jsonl")];
/** of recordings, which begin after Apricot Phase 5 */
const blockOf = (answer: unknown) => cChainBlockOfRpc(answer, 0n);

describe("A block of the C-chain from its RPC", () => {
  test.each(["live-1", "eras-1", "latest-1"] as const)("is byte for byte what %s has in the container", (name) => {
    for (const { height, id, container, block } of networkBlocks(name)) {
      const { bytes, id: parsedId } = blockOf(block);
      expect([height, `0x${parsedId}`]).toEqual([height, id]);
      if (container === null) continue;
      const { inner } = unwrapBlock(bytesOf(container), () => true);
      expect(Buffer.from(bytes).equals(inner)).toBe(true);
    }
  });

  test("is what debug_getRawBlock answers", () => {
    const samples = [...readLines<Sample>(recordingFolder("live-samples"), "five-nodes/C-blocks.jsonl")];
    const answerOf = (name: string, [number]: Sample["params"]) =>
      samples.find(({ method, params }) => method === name && params[0] === number)!.answer.result;
    const answers = samples.filter(({ method }) => method === "eth_getBlockByNumber");
    expect(answers).toHaveLength(8);
    for (const { params, answer } of answers) {
      const raw = answerOf("debug_getRawBlock", params) as string;
      // the sample has the hashes of transactions only
      const { transactions } = cChainAnswer(parseCChainBlock(bytesOf(raw), 0n));
      expect(`0x${Buffer.from(blockOf({ ...(answer.result as object), transactions }).bytes).toString("hex")}`).toBe(raw);
    }
  });

  test.each(["evm-1", "evm-helicon-1"] as const)("holds every kind of transaction in %s", (name) => {
    for (const { id, block } of evmBlocks(name)) {
      const parsed = blockOf(block);
      expect([`0x${parsed.id}`, parsed.transactions.length]).toEqual([id, block.transactions.length]);
    }
  });

  test("may have Ethereum's header, if the node says extra data and its hash beside it", () => {
    const { bytes: batch } = blockOf(networkBlocks("live-1").at(-1)!.block);
    const { extraData, extraDataHash } = parseCChainBlock(batch, 0n);
    const atomic = { blockExtraData: `0x${Buffer.from(extraData).toString("hex")}`, extDataHash: `0x${extraDataHash}` };
    for (const { id, block } of evmBlocks("evm-anvil-1")) {
      const parsed = blockOf({ ...block, ...atomic });
      expect(parsed).toMatchObject({ id: id.slice(2), extraDataHash: undefined, atomicTxs: { length: 3 } });
      expect(parsed.transactions).toHaveLength(block.transactions.length);
      expect(() => blockOf({ ...block, blockExtraData: "0x", extDataHash: `0x${EMPTY_ID}` })).toThrow(/blockExtraData is "0x"; it must be/);
      expect(() => blockOf(block)).toThrow(/blockExtraData is missing/);
      expect(blockOf({ ...block, blockExtraData: "0x", extDataHash: NO_EXTRA_DATA }).extraData).toHaveLength(0);
    }
  });

  test.each([16, 17, 19, 22, 24, 30])("has a header of %i fields, with and without atomic transactions", (count) => {
    const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length }).map((drawn) => encodeRlpString(drawn));
    const numbers = (bits: number) => fc.bigInt({ min: 0n, max: 2n ** BigInt(bits) - 1n }).map(encodeRlpInteger);
    const property = fc.property(
      fc.tuple(...HEADER.map((part) => ("bytes" in part ? bytes(part.bytes) : numbers(part.bits)))),
      fc.boolean(),
      (fields, isAtomic) => {
        const extraData = isAtomic ? batch.extraData : new Uint8Array();
        const ofLists = [NO_UNCLES, ORDERED_ROOT_OF_NONE].map((hash) => encodeRlpString(bytesOf(hash)));
        const header = fields
          .with(1, ofLists[0]!)
          .with(4, ofLists[1]!)
          .with(15, encodeRlpString(bytesOf(hashExtraData(extraData))));
        const sealed = encodeCChainBlock({ header: encodeRlpList(header.slice(0, count)), transactions: [], extraData });
        expect(Buffer.from(blockOf(cChainAnswer(parseCChainBlock(sealed, 0n))).bytes)).toEqual(sealed);
      },
    );
    fc.assert(property, { numRuns: 50 });
  });

  test("before Apricot Phase 1 has extra data that the header does not commit to", () => {
    const [header] = rlpItems(readRlp(batch.bytes));
    const fields = rlpItems(header!)
      .map(({ encoding }) => encoding)
      .slice(0, 16)
      .with(15, encodeRlpString(new Uint8Array(32)));
    const sealed = encodeCChainBlock({ ...batch, header: encodeRlpList(fields), transactions: batch.transactions });
    const answer = cChainAnswer(parseCChainBlock(sealed, 0n));
    expect(blockOf(answer)).toMatchObject({ extraDataHash: EMPTY_ID, atomicTxs: { length: batch.atomicTxs.length } });
    expect(blockOf({ ...answer, blockExtraData: "0x" })).toMatchObject({ extraDataHash: EMPTY_ID, atomicTxs: [] });
  });

  test("before Apricot Phase 5 has extra data in another form", () => {
    const { block } = networkBlocks("live-1").at(-1)!;
    expect(() => cChainBlockOfRpc(block, 2n ** 62n)).toThrow(
      /blockExtraData is .* it must be the atomic transactions of a block of that time/,
    );
  });
});

describe("A wrong answer", () => {
  const blocks = [networkBlocks("live-1").at(-1)!, evmBlocks("evm-1").find(hasAllKinds)!, networkBlocks("latest-1").at(-1)!];

  test.each(blocks.map(({ block }) => block))("is refused whichever field of the block is another or missing: block $number", (block) => {
    // a node computes or repeats these for its clients
    const unread = ["size", "totalDifficulty"];
    for (const name of Object.keys(block).filter((each) => !unread.includes(each))) {
      expect(() => blockOf({ ...block, [name]: altered(block[name]) }), name).toThrow(AnswerError);
      expect(() => blockOf({ ...block, [name]: undefined }), name).toThrow(AnswerError);
    }
  });

  test.each(blocks.map(({ block }) => block))(
    "is refused whichever field of a transaction is another or missing: block $number",
    (block) => {
      for (const [index, transaction] of block.transactions.entries()) {
        const withField = (name: string, value: unknown) => ({
          ...block,
          transactions: block.transactions.with(index, { ...transaction, [name]: value }),
        });
        for (const name of Object.keys(transaction).filter((each) => !isUnread(transaction, each))) {
          expect(() => blockOf(withField(name, altered(transaction[name]))), name).toThrow(AnswerError);
          // nodes older than EIP-2718 leave out the type, and a contract's creation has no target
          if (name === "yParity" || (name === "type" && transaction.type === "0x0") || transaction[name] === null) continue;
          expect(() => blockOf(withField(name, undefined)), name).toThrow(AnswerError);
        }
      }
    },
  );

  test("is refused if transactions are missing, doubled or in another order, though each has its hash", () => {
    const { block } = evmBlocks("evm-1").find(hasAllKinds)!;
    const { transactions } = block;
    for (const others of [transactions.slice(1), [...transactions, transactions[0]], transactions.toReversed(), []]) {
      expect(() => blockOf({ ...block, transactions: others })).toThrow(
        /transactions is .* it must be those that transactionsRoot stands for/,
      );
    }
  });

  test.each([
    ["stateRoot", /^block 150\.hash is "0x[0-9a-f]{64}"; it must be 0x[0-9a-f]{64}, the hash of the header/],
    ["minDelayExcess", /^block 150\.hash is /],
    ["blockExtraData", /^block 150\.blockExtraData is "0x00/],
    ["gasUsed", /^block 150\.hash is /],
  ])("is refused with the name of the field: %s", (name, sentence) => {
    const { block } = networkBlocks("live-1").at(-1)!;
    expect(() => blockOf({ ...block, [name]: altered(block[name]) })).toThrow(sentence);
  });

  test("that lacks a field in the middle of the header is told which", () => {
    const { block } = networkBlocks("live-1").at(-1)!;
    expect(() => blockOf({ ...block, excessBlobGas: undefined })).toThrow(/^block 150\.excessBlobGas is missing/);
    expect(() => blockOf({ ...block, logsBloom: undefined })).toThrow(/^block 150\.logsBloom is missing/);
  });

  test.each([null, "0x1", 7, [], {}, { number: "0x1" }, { number: "0x1", hash: "0x" }])("is refused if it is no block: %j", (answer) => {
    expect(() => blockOf(answer)).toThrow(AnswerError);
  });
});

function hasAllKinds({ block }: RecordedBlock): boolean {
  return new Set(block.transactions.map(({ type }) => type)).size === 3;
}

/** What a node repeats of the block, or derives from signature and receipt. */
function isUnread({ type }: Readonly<Record<string, unknown>>, name: string): boolean {
  const derived = type === "0x0" ? ["chainId"] : type === "0x2" ? ["v", "gasPrice"] : ["v"];
  return ["blockHash", "blockNumber", "transactionIndex", "from", ...derived].includes(name);
}

/** Another value of the same form. */
function altered(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 0 ? [{}] : value.slice(1);
  if (value === null) return `0x${"11".repeat(20)}`;
  if (value === "0x") return "0x00";
  const text = value as string;
  return text.slice(0, -1) + (text.endsWith("1") ? "2" : "1");
}
