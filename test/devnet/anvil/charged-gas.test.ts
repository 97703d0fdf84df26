/** On the C-chain since Helicon a transaction is charged for at least half of its gas limit, and is refunded nothing. */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type RlpItem, readRlp, rlpInteger, rlpItems } from "../../../src/base/codec/rlp.ts";
import { evmCall } from "../../../src/devnet/anvil/evm-call.ts";
import { encodeUnsigned } from "../../../src/devnet/anvil/pool/unsigned-transaction.ts";
import type { EvmEdit } from "../../../src/devnet/anvil/sealing/evm-edits.ts";
import { evmAddedGas } from "../../../src/devnet/anvil/tables.ts";
import { evmTransactions } from "../../../src/evm/index/tables.ts";
import { scanAll } from "../../../src/store/store.ts";
import { scratchDirectory } from "../../store/scratch.ts";
import { restart } from "./evm-actions.ts";
import { accountOf, EVM_CHAIN_ID, EvmNetwork, FEES } from "./evm-network.ts";
import { expectedSupply } from "./supply.ts";

const BOB = `0x${"0b".repeat(20)}` as const;
const HOUR = 3_600_000;
/** The base fee of Helicon is 1 wei; the rest is the tip. */
const PRICE = 4n;
const [WORD_0, WORD_1, WORD_5] = [0, 1, 5].map((value) => value.toString(16).padStart(64, "0")) as [string, string, string];

interface Receipt {
  readonly transactionHash: string;
  readonly blockNumber: string;
  readonly status: string;
  readonly gasUsed: string;
  readonly cumulativeGasUsed: string;
}

const ask = async <T>({ evm }: EvmNetwork, method: string, ...params: unknown[]): Promise<T> =>
  JSON.parse((await evm.forward(evmCall(1, method, params))).toString()).result;

const receiptOf = (network: EvmNetwork, hash: string) => ask<Receipt>(network, "eth_getTransactionReceipt", hash);

/** What it was charged, and in which block. */
async function outcome(network: EvmNetwork, hash: string) {
  const { gasUsed, blockNumber } = await receiptOf(network, hash);
  return { gas: BigInt(gasUsed), block: BigInt(blockNumber) };
}

/** Everything that says what transactions were charged. */
async function shown(network: EvmNetwork, hashes: readonly string[]) {
  const { address } = network.account;
  const receipts = await Promise.all(hashes.map((hash) => receiptOf(network, hash)));
  return { receipts, rows: await added(network), balance: await network.balance(address), total: await network.evm.totalBalance() };
}

async function added({ devnet: { store } }: EvmNetwork) {
  const rows = [];
  for await (const { key, value } of scanAll(store, evmAddedGas)) rows.push([key.height, key.index, value.gas]);
  return rows;
}

async function pay(network: EvmNetwork, nonce: number, gas: bigint, more: object = {}): Promise<string> {
  return network.send(await network.sign({ ...FEES, type: "eip1559", nonce, to: BOB, gas, ...more }));
}

test("a payment with a limit of 100,000 is charged 50,000, whoever asks, and after every start", async () => {
  const network = await EvmNetwork.start({ directory: scratchDirectory() }, { evm: { blocksPerDump: 1 } });
  const before = await network.balance(network.account.address);
  const hash = await pay(network, 0, 100_000n, { value: 7n });
  const gas = { gasUsed: "0xc350", cumulativeGasUsed: "0xc350" };
  expect(await receiptOf(network, hash)).toMatchObject(gas);
  expect(await ask(network, "eth_getBlockReceipts", "0x1")).toMatchObject([gas]);
  expect(await network.ask("eth_getTransactionReceipt", hash)).toMatchObject(gas);
  const [raw] = await ask<string[]>(network, "debug_getRawReceipts", "0x1");
  expect(
    itemsOf(raw!)
      .slice(0, 2)
      .map((item) => rlpInteger(item)),
  ).toEqual([1n, 50_000n]);
  expect(await ask(network, "debug_traceTransaction", hash, { tracer: "callTracer" })).toMatchObject({ gas: "0x186a0", gasUsed: "0xc350" });
  expect(await ask(network, "debug_traceTransaction", hash)).toMatchObject({ gas: 50_000 });
  expect(before - (await network.balance(network.account.address))).toBe(7n + 50_000n * PRICE);
  const second = await network.sign({ ...FEES, type: "eip1559", nonce: 1, to: BOB, gas: 60_001n });
  // rounded up
  expect(await ask(network, "eth_sendRawTransactionSync", second)).toMatchObject({ gasUsed: "0x7531" });
  const rows = [];
  for await (const { value } of scanAll(network.devnet.store, evmTransactions)) rows.push(value.gasUsed);
  expect(rows).toEqual([50_000n, 30_001n]);

  const hashes = [hash, (await ask<Receipt[]>(network, "eth_getBlockReceipts", "0x2"))[0]!.transactionHash];
  const whole = await shown(network, hashes);
  expect(whole).toMatchObject({
    rows: [
      [1n, 0, 29_000n],
      [2n, 0, 9_001n],
    ],
    total: await expectedSupply(network),
  });
  const restarted = await restart(network);
  expect(await shown(restarted, hashes)).toEqual(whole);
  await rm(join(restarted.directory, "c-chain"), { recursive: true });
  await restarted.evm.rebuild();
  expect(await shown(restarted, hashes)).toEqual(whole);
  await pay(restarted, 2, 21_000n);
  await restarted.evm.rebuild();
  expect(await added(restarted)).toEqual(whole.rows);
});

/** Contracts that free storage, and what calling them uses by the costs of EIP-2929 and EIP-3529 without the refund. */
const CLEARS = { code: "600060005500", slot: WORD_5, used: 21_000n + 6n + 5_000n };
const GUARD = { code: "6002600055600160005500", slot: WORD_1, used: 21_000n + 12n + 5_000n + 100n };
const REVERTS = { code: "600060005560006000fd", slot: WORD_5, used: 21_000n + 12n + 5_000n };
const HALTS = { code: "fe", slot: WORD_0, used: 45_000n };
/** Calls CLEARS with all gas. */
const CALLS = { code: `60006000600060006000${"73"}${"c0".repeat(20)}5af100`, slot: WORD_0, used: 21_000n + 20n + 2_600n + 5_006n };
const CONTRACTS = [CLEARS, GUARD, REVERTS, HALTS, CALLS];

const addressOf = (index: number) => `c${index.toString(16)}`.repeat(20);

/** Puts the contracts at their addresses. */
async function placed(options: Parameters<typeof EvmNetwork.start>[1] = {}): Promise<EvmNetwork> {
  const network = await EvmNetwork.start({ directory: scratchDirectory() }, options);
  const edits = CONTRACTS.flatMap(({ code, slot }, index): EvmEdit[] => [
    { kind: "code", address: addressOf(index), code: Buffer.from(code, "hex") },
    { kind: "storage", address: addressOf(index), slot: WORD_0, value: slot },
  ]);
  await network.devnet.evmControls.edit(edits);
  return network;
}

test("storage that is freed, or changed and changed back, is charged in full, in one block as in many", async () => {
  const network = await placed({ blockTimeMs: HOUR });
  const before = await network.balance(network.account.address);
  const hashes: string[] = [];
  for (const [nonce, index] of [4, 1, 2, 3].entries()) hashes.push(await pay(network, nonce, 45_000n, { to: `0x${addressOf(index)}` }));
  // a creation that frees what it has set: 22,100 and 100 for the slot, 200 for each byte of the code that it leaves
  const init = "0x600160005560006000556020600060003960206000f3" as const;
  const creation = { to: undefined, data: init };
  hashes.push(await pay(network, 4, 110_000n, creation));
  const words = BigInt((init.length - 2) / 2 + 31) / 32n;
  const zeros = BigInt(
    init
      .slice(2)
      .match(/../g)!
      .filter((byte) => byte === "00").length,
  );
  const data = zeros * 4n + (BigInt((init.length - 2) / 2) - zeros) * 16n;
  const made = 21_000n + 32_000n + 2n * words + data + 12n + 22_100n + 100n + (9n + 3n + 3n + 3n) + 6n + 32n * 200n;
  // and one whose access list has the slot
  const accessList = [{ address: `0x${addressOf(0)}`, storageKeys: [`0x${WORD_0}`] }];
  await network.devnet.mine();
  await network.devnet.evmControls.edit([{ kind: "storage", address: addressOf(0), slot: WORD_0, value: WORD_5 }]);
  hashes.push(await pay(network, 5, 40_000n, { to: `0x${addressOf(0)}`, accessList }));
  await network.devnet.mine();
  const outcomes = await Promise.all(hashes.map((hash) => outcome(network, hash)));
  const used = [CALLS, GUARD, REVERTS, HALTS].map((contract) => contract.used);
  expect(outcomes.map(({ gas }) => gas)).toEqual([...used, made, 21_000n + 2_400n + 1_900n + 6n + 2_900n]);
  expect(outcomes.map(({ block }) => block)).toEqual([1n, 1n, 1n, 1n, 1n, 2n]);
  const receipts = await ask<Receipt[]>(network, "eth_getBlockReceipts", "0x1");
  let sum = 0n;
  for (const { gasUsed, cumulativeGasUsed } of receipts) {
    sum += BigInt(gasUsed);
    expect(BigInt(cumulativeGasUsed)).toBe(sum);
  }
  const charged = outcomes.reduce((total, { gas }) => total + gas, 0n);
  expect(before - (await network.balance(network.account.address))).toBe(charged * PRICE);
  const whole = await shown(network, hashes);
  expect(whole.total).toBe(await expectedSupply(network));
  await network.evm.rebuild();
  expect(await shown(network, hashes)).toEqual(whole);
});

const KEYS = [1, 2, 3].map((n) => accountOf(Buffer.alloc(32, n)));
const ALICE = KEYS[0]!;
const FIELDS = { chainId: EVM_CHAIN_ID, type: "eip1559", maxPriorityFeePerGas: PRICE - 1n } as const;

const balanceOf = (address: string, value: bigint): EvmEdit => ({ kind: "balance", address: address.slice(2).toLowerCase(), value });

test.each([
  ["all is in the block", 0n, [1n, 1n, 1n]],
  ["lacks one wei: the last transaction is in the next block", -1n, [1n, 1n, 2n]],
])("a sender who can pay for all if each uses up its gas: %s", async (_, more, blocks) => {
  const network = await EvmNetwork.start({}, { blockTimeMs: HOUR });
  const [gas, maxFeePerGas, value] = [100_000n, 2n * PRICE, 5n];
  const balance = 2n * (gas * PRICE + value) + gas * maxFeePerGas + value + more;
  await network.devnet.evmControls.edit([balanceOf(ALICE.address, balance)]);
  const hashes: string[] = [];
  for (const nonce of [0, 1, 2]) {
    hashes.push(await network.send(await ALICE.signTransaction({ ...FIELDS, nonce, to: BOB, gas, maxFeePerGas, value })));
  }
  await network.pay(BOB, 1n);
  for (let n = 0; n < 2; n++) await network.devnet.mine();
  const outcomes = await Promise.all(hashes.map((hash) => outcome(network, hash)));
  expect(outcomes).toEqual(blocks.map((block) => ({ gas: 50_000n, block })));
  expect(await network.balance(ALICE.address)).toBe(balance - 3n * (50_000n * PRICE + value));
  const whole = await shown(network, hashes);
  await network.evm.rebuild();
  expect(await shown(network, hashes)).toEqual(whole);
});

test("who is sent for can be a contract that others make spend: its transaction waits until it can be charged", async () => {
  const network = await EvmNetwork.start({}, { blockTimeMs: HOUR });
  const spender = "5e".repeat(20);
  // pays all that it has to the caller
  const code = Buffer.from("6000600060006000473361fffff100", "hex");
  const gas = 400_000n;
  await network.devnet.evmControls.edit([{ kind: "code", address: spender, code }, balanceOf(`0x${spender}`, gas * PRICE)]);
  const [type, chainId, price] = ["0x0", `0x${EVM_CHAIN_ID.toString(16)}`, `0x${PRICE.toString(16)}`];
  const fields = { type, chainId, nonce: "0x0", gas: `0x${gas.toString(16)}`, gasPrice: price, to: BOB, value: "0x0", input: "0x" };
  const waiting = await network.evm.issueUnsigned(encodeUnsigned(fields), spender);
  const spent = await pay(network, 0, 100_000n, { to: `0x${spender}` });
  await network.devnet.mine();
  expect(await outcome(network, spent)).toEqual({ gas: 50_000n, block: 1n });
  // what it paid for the gas was its own; now it has nothing
  expect([await network.balance(`0x${spender}`), await ask(network, "eth_getTransactionReceipt", waiting)]).toEqual([0n, null]);
  expect(await network.evm.totalBalance()).toBe(await expectedSupply(network));
});

test("transactions of many senders are charged to the wei, however they share blocks, and nobody owes anything", async () => {
  const transaction = fc.record({
    from: fc.nat({ max: KEYS.length - 1 }),
    /** a contract, or else an account of the senders */
    to: fc.option(fc.nat({ max: CONTRACTS.length - 1 }), { nil: undefined }),
    gas: fc.integer({ min: 21_000, max: 200_000 }),
    value: fc.integer({ min: 0, max: 300_000 }),
    price: fc.integer({ min: 1, max: 9 }),
    mines: fc.nat({ max: 5 }).map((n) => n === 0),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(transaction, { minLength: 6, maxLength: 24 }), async (transactions) => {
      const network = await placed({ blockTimeMs: HOUR });
      const balances = new Map(KEYS.map(({ address }) => [address.toLowerCase(), 1_500_000n]));
      await network.devnet.evmControls.edit([...balances].map(([address, balance]) => balanceOf(address, balance)));
      const nonces = KEYS.map(() => 0);
      const sent = new Map<string, { readonly from: string; readonly to: string; readonly gas: bigint; readonly value: bigint }>();
      for (const { from, to, gas, value, price, mines } of transactions) {
        const key = KEYS[from]!;
        const recipient = to === undefined ? KEYS[value % KEYS.length]!.address.toLowerCase() : `0x${addressOf(to)}`;
        const fields = { chainId: EVM_CHAIN_ID, type: "legacy", nonce: nonces[from]!, to: recipient as `0x${string}` } as const;
        const raw = await key.signTransaction({ ...fields, gas: BigInt(gas), value: BigInt(value), gasPrice: BigInt(price) });
        const hash = await network.send(raw);
        // refused: it costs more than there is
        if (/^0x/.test(hash)) nonces[from]!++;
        if (/^0x/.test(hash)) sent.set(hash, { from: key.address.toLowerCase(), to: recipient, gas: BigInt(gas), value: BigInt(value) });
        if (mines) await network.devnet.mine();
      }
      for (let n = 0; n < transactions.length; n++) await network.devnet.mine();
      const tip = Number(await network.ask("eth_blockNumber"));
      let mined = 0;
      for (let height = 1; height <= tip; height++) {
        for (const receipt of await ask<(Receipt & { effectiveGasPrice: string })[]>(
          network,
          "eth_getBlockReceipts",
          `0x${height.toString(16)}`,
        )) {
          const { from, to, gas, value } = sent.get(receipt.transactionHash)!;
          const charged = BigInt(receipt.gasUsed);
          expect([charged >= (gas + 1n) / 2n, charged <= gas]).toEqual([true, true]);
          balances.set(from, balances.get(from)! - charged * BigInt(receipt.effectiveGasPrice) - (receipt.status === "0x1" ? value : 0n));
          if (receipt.status === "0x1" && balances.has(to)) balances.set(to, balances.get(to)! + value);
          mined++;
        }
      }
      expect(mined).toBeGreaterThan(0);
      for (const [address, balance] of balances) expect(await network.balance(address)).toBe(balance);
      const hashes = [...sent.keys()].slice(0, 1);
      const whole = await shown(network, hashes);
      await network.evm.rebuild();
      expect(await shown(network, hashes)).toEqual(whole);
      await network.devnet.stop();
    }),
    { numRuns: Number(process.env.FIRN_EVM_RUNS ?? 3) },
  );
});

test("blocks of a store from before are made again as they were; those of other upgrades and after them by their own rules", async () => {
  const directory = scratchDirectory();
  const network = await EvmNetwork.start({ directory, upgrades: "granite,helicon=+1h" });
  const granite = await pay(network, 0, 100_000n);
  await network.devnet.advanceTime(7_200n);
  // as a Firn did that knew nothing of the charge
  Object.assign(network.evm.spec, { isSaevmAt: () => false });
  const old = await pay(network, 1, 100_000n);
  const before = await shown(network, [granite, old]);
  expect(before).toMatchObject({ receipts: [{ gasUsed: "0x5208" }, { gasUsed: "0x5208" }], rows: [] });
  const restarted = await restart(network, {}, "granite,helicon=+1h");
  expect(await shown(restarted, [granite, old])).toEqual(before);
  const helicon = await pay(restarted, 2, 100_000n);
  expect(await outcome(restarted, helicon)).toEqual({ gas: 50_000n, block: 3n });
  const whole = await shown(restarted, [granite, old, helicon]);
  await rm(join(directory, "c-chain"), { recursive: true });
  await restarted.evm.rebuild();
  expect(await shown(restarted, [granite, old, helicon])).toEqual(whole);
});

test("a revert takes back what was charged, and another block at that height has its own charge", async () => {
  const network = await EvmNetwork.start();
  await pay(network, 0, 100_000n);
  const before = await shown(network, []);
  const snapshot = await network.devnet.snapshot();
  await pay(network, 1, 80_000n);
  await network.devnet.revert(snapshot);
  expect(await shown(network, [])).toEqual(before);
  expect((await outcome(network, await pay(network, 1, 60_000n))).gas).toBe(30_000n);
  expect(await added(network)).toEqual([
    [1n, 0, 29_000n],
    [2n, 0, 9_000n],
  ]);
});

/** Of a receipt in network form, whatever its type. */
function itemsOf(raw: string): readonly RlpItem[] {
  const bytes = Buffer.from(raw.slice(2), "hex");
  return rlpItems(readRlp(bytes[0]! < 0x80 ? bytes.subarray(1) : bytes));
}
