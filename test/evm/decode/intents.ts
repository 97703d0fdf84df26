/**
 * Makes blocks of an EVM chain from intents, so that tests know their effects without reading logs: intents become logs as contracts write
 * them. Uses few addresses and tokens, so that all combinations occur.
 */
import fc from "fast-check";
import { keccak256 } from "../../../src/base/bytes/hash.ts";
import { ERC20, ERC721, type TokenClass } from "../../../src/evm/facts.ts";
import type { Address, CallFrame, EvmBlock, EvmLog, EvmTransaction, Hash } from "../../../src/sources/evm/parser/block.ts";

export const ZERO = "00".repeat(20);
export const PEOPLE: readonly Address[] = ["a1", "a2", "a3", "a4"].map((byte) => byte.repeat(20));

/** Contracts by what is known of them; `plain` ones are never asked. */
export const TOKENS = {
  plain: "20".repeat(20),
  allIndexed: "24".repeat(20),
  noneIndexed: "21".repeat(20),
  wrapped: "29".repeat(20),
  nft: "71".repeat(20),
  earlyNft: "72".repeat(20),
  multi: "55".repeat(20),
  /** has Deposit and Withdrawal, and is no wrapped token */
  vault: "66".repeat(20),
} as const;

const CLASSES = new Map<Address, TokenClass>([
  [TOKENS.allIndexed, { kind: ERC20, isWrapped: false }],
  [TOKENS.noneIndexed, { kind: ERC20, isWrapped: false }],
  [TOKENS.wrapped, { kind: ERC20, isWrapped: true }],
  [TOKENS.nft, { kind: ERC721, isWrapped: false }],
  [TOKENS.earlyNft, { kind: ERC721, isWrapped: false }],
  [TOKENS.vault, { kind: undefined, isWrapped: false }],
]);

export function classOf(token: Address): TokenClass | undefined {
  return CLASSES.get(token);
}

export type Intent =
  | { kind: "amount"; token: "plain" | "allIndexed" | "noneIndexed" | "wrapped"; from: Address; to: Address; value: bigint }
  | { kind: "nft"; token: "nft" | "earlyNft"; from: Address; to: Address; tokenId: bigint }
  | { kind: "multi"; from: Address; to: Address; entries: readonly { tokenId: bigint; value: bigint }[]; isBatch: boolean }
  /** `isTold`: the contract has a Transfer from or to the zero address beside it */
  | { kind: "wrap"; token: "wrapped" | "vault"; holder: Address; value: bigint; isDeposit: boolean; isTold: boolean }
  | { kind: "frame"; type: CallFrame["type"]; from: Address; to: Address; value: bigint; isReverted: boolean };

export interface IntendedTransaction {
  readonly from: Address;
  /** undefined: creates a contract */
  readonly to: Address | undefined;
  readonly isSuccess: boolean;
  readonly inputLength: number;
  readonly intents: readonly Intent[];
}

export type IntendedBlock = readonly IntendedTransaction[];

const address = fc.constantFrom(...PEOPLE);
/** of calls, creations and destructions */
const framed = fc.constantFrom(...PEOPLE, ...PEOPLE, ...Object.values(TOKENS));
const party = fc.constantFrom(...PEOPLE, ...PEOPLE, ZERO);
const amount = fc.oneof(fc.bigInt({ min: 0n, max: 5n }), fc.constantFrom(2n ** 256n - 1n, 2n ** 128n));
const tokenId = fc.constantFrom(0n, 1n, 2n ** 256n - 1n);

const intent: fc.Arbitrary<Intent> = fc.oneof(
  fc.record({
    kind: fc.constant("amount" as const),
    token: fc.constantFrom("plain" as const, "allIndexed" as const, "noneIndexed" as const, "wrapped" as const),
    from: party,
    to: party,
    value: amount,
  }),
  fc.record({
    kind: fc.constant("nft" as const),
    token: fc.constantFrom("nft" as const, "earlyNft" as const),
    from: party,
    to: party,
    tokenId,
  }),
  fc
    .record({
      kind: fc.constant("multi" as const),
      from: party,
      to: party,
      entries: fc.array(fc.record({ tokenId, value: amount }), { maxLength: 3 }),
      isBatch: fc.boolean(),
    })
    .map((multi) => ({ ...multi, isBatch: multi.isBatch || multi.entries.length !== 1 })),
  fc.record({
    kind: fc.constant("wrap" as const),
    token: fc.constantFrom("wrapped" as const, "vault" as const),
    holder: address,
    value: amount,
    isDeposit: fc.boolean(),
    isTold: fc.boolean(),
  }),
  fc.record({
    kind: fc.constant("frame" as const),
    type: fc.constantFrom<CallFrame["type"]>(
      "CALL",
      "CALLCODE",
      "DELEGATECALL",
      "STATICCALL",
      "CREATE",
      "CREATE2",
      "SELFDESTRUCT",
      "OTHER",
    ),
    from: framed,
    to: framed,
    value: amount,
    isReverted: fc.boolean(),
  }),
);

const transaction: fc.Arbitrary<IntendedTransaction> = fc.record({
  from: address,
  to: fc.option(party, { nil: undefined }),
  isSuccess: fc.boolean(),
  inputLength: fc.constantFrom(0, 3, 4, 128, 129),
  intents: fc.array(intent, { maxLength: 6 }),
});

export const intendedBlock: fc.Arbitrary<IntendedBlock> = fc.array(transaction, { maxLength: 4 });
export const intendedChain: fc.Arbitrary<readonly IntendedBlock[]> = fc.array(intendedBlock, { minLength: 1, maxLength: 8 });

/** @param branch tells blocks of one height apart. @param parentHash of the block before it */
export function makeBlock(height: bigint, intended: IntendedBlock, { branch = "main", parentHash = "00".repeat(32) } = {}): EvmBlock {
  let logIndex = 0;
  const transactions = intended.map((transaction, index) => {
    const made = makeTransaction(`${branch} ${height} ${index}`, index, transaction, logIndex);
    logIndex += made.logs.length;
    return made;
  });
  return {
    height,
    hash: hashOf(`block ${branch} ${height}`),
    parentHash,
    timestamp: 1_700_000_000n + height,
    timestampMilliseconds: undefined,
    minDelayExcess: undefined,
    gasLimit: 30_000_000n,
    baseFee: 7n,
    gasCost: 0n,
    miner: PEOPLE[0]!,
    extraFields: {},
    extraData: new Uint8Array(),
    transactions,
    hasTraces: true,
    untraced: [],
  };
}

/** A chain whose blocks follow each other from height 0. */
export function makeChain(blocks: readonly IntendedBlock[]): EvmBlock[] {
  const made: EvmBlock[] = [];
  for (const [height, block] of blocks.entries())
    made.push(makeBlock(BigInt(height), block, { parentHash: made.at(-1)?.hash ?? "00".repeat(32) }));
  return made;
}

/** A failed transaction has no logs, and all its frames are void. */
function makeTransaction(name: string, index: number, intended: IntendedTransaction, firstLog: number): EvmTransaction {
  const { from, to, isSuccess, inputLength, intents } = intended;
  const logs: EvmLog[] = [];
  const frames: CallFrame[] = [];
  for (const intent of intents) {
    if (intent.kind === "frame") frames.push(makeFrame(intent, isSuccess));
    else if (isSuccess) for (const log of logsOf(intent)) logs.push({ ...log, index: firstLog + logs.length });
  }
  return {
    hash: hashOf(name),
    index,
    type: 2,
    from,
    to,
    created: to === undefined ? hashOf(`contract ${name}`).slice(24) : undefined,
    nonce: 1n,
    value: 3n,
    input: new Uint8Array(inputLength).fill(1),
    gasLimit: 100_000n,
    gasUsed: 21_000n,
    gasPrice: 8n,
    maxFeePerGas: 10n,
    maxPriorityFeePerGas: 1n,
    isSuccess,
    logs,
    frames,
  };
}

function makeFrame({ type, from, to, value, isReverted }: Intent & { kind: "frame" }, isSuccess: boolean): CallFrame {
  return { type, depth: 1, from, to, value, gasLimit: 5000n, gasUsed: 700n, isReverted: isReverted || !isSuccess, codeLength: 0 };
}

const TRANSFER = "Transfer(address,address,uint256)";

export function logsOf(intent: Exclude<Intent, { kind: "frame" }>): Omit<EvmLog, "index">[] {
  switch (intent.kind) {
    case "amount": {
      const parts = [word(intent.from), word(intent.to), word(intent.value)];
      const indexed = { plain: 2, wrapped: 2, allIndexed: 3, noneIndexed: 0 }[intent.token];
      return [log(TOKENS[intent.token], TRANSFER, parts.slice(0, indexed), parts.slice(indexed))];
    }
    case "nft": {
      const parts = [word(intent.from), word(intent.to), word(intent.tokenId)];
      return [log(TOKENS[intent.token], TRANSFER, intent.token === "nft" ? parts : [], intent.token === "nft" ? [] : parts)];
    }
    case "multi":
      return [multiLog(intent)];
    case "wrap": {
      const { token, holder, value, isDeposit, isTold } = intent;
      const event = isDeposit ? "Deposit(address,uint256)" : "Withdrawal(address,uint256)";
      const parties = isDeposit ? [word(ZERO), word(holder)] : [word(holder), word(ZERO)];
      const told = isTold ? [log(TOKENS[token], TRANSFER, parties, [word(value)])] : [];
      return [...told, log(TOKENS[token], event, [word(holder)], [word(value)])];
    }
  }
}

function multiLog({ from, to, entries, isBatch }: Intent & { kind: "multi" }): Omit<EvmLog, "index"> {
  const parties = [word(PEOPLE[0]!), word(from), word(to)];
  if (!isBatch) {
    const [{ tokenId, value }] = entries as [{ tokenId: bigint; value: bigint }];
    return log(TOKENS.multi, "TransferSingle(address,address,address,uint256,uint256)", parties, [word(tokenId), word(value)]);
  }
  const count = BigInt(entries.length);
  const ids = [word(count), ...entries.map(({ tokenId }) => word(tokenId))];
  const values = [word(count), ...entries.map(({ value }) => word(value))];
  const data = [word(64n), word(64n + 32n * (count + 1n)), ...ids, ...values];
  return log(TOKENS.multi, "TransferBatch(address,address,address,uint256[],uint256[])", parties, data);
}

/** 64 digits. */
export function word(value: bigint | Address): string {
  return (typeof value === "bigint" ? value.toString(16) : value).padStart(64, "0");
}

export function log(emitter: Address, event: string, indexed: readonly string[], data: readonly string[]): Omit<EvmLog, "index"> {
  return { address: emitter, topics: [hashOf(event), ...indexed], data: Buffer.from(data.join(""), "hex") };
}

export function hashOf(text: string): Hash {
  return keccak256(Buffer.from(text)).toString("hex");
}
