/** Editing accounts, sending for others, and holding blocks back, as viem's test client, Hardhat's helpers and cast send it. */
import { createTestClient, http, publicActions, walletActions, webSocket } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { EWOQ_KEY } from "../../src/devnet/account-keys.ts";
import { type LocalNetwork, startDevnet } from "../../src/serve/local-network/start.ts";
import { call, type Reply } from "../devnet/json-rpc.ts";
import { PlainWallet } from "../devnet/load/plain-wallet.ts";
import { scratchDirectory } from "../store/scratch.ts";

const ALICE = `0x${"a1".repeat(20)}` as const;
const BOB = `0x${"b0".repeat(20)}` as const;
const GAS_PRICE = 30_000_000_000n;
const AVAX = 10n ** 18n;
/** answers what is in slot 0 */
const READS_SLOT = "0x60005460005260206000f3";

let network: LocalNetwork;

beforeAll(async () => {
  network = await startDevnet();
});
afterAll(() => network?.stop());

/** As of anvil over a WebSocket, as of Hardhat over HTTP. */
const client = (mode: "anvil" | "hardhat", { urls } = network) =>
  createTestClient({ mode, transport: mode === "anvil" ? webSocket(urls.cWebSocket) : http(urls.C) })
    .extend(publicActions)
    .extend(walletActions);
const rpc = async (method: string, ...params: unknown[]) =>
  (await call(network.url, { path: "/ext/bc/C/rpc", method, params })) as Reply & { result: unknown };
/** Reverts with what it is sent, and stops from this time on: PUSH4 time, TIMESTAMP, LT, PUSH1 11, JUMPI, STOP, JUMPDEST, … */
const revertsUntil = (time: number) => `0x63${time.toString(16).padStart(8, "0")}4210600b57005b366000600037366000fd`;
const data = async (path: string) => (await (await fetch(`${network.url}/v1/chains/43112${path}`)).json()) as Record<string, never>;

test("a refusal has what the contract reverted with, as an estimate has, and the clock's time decides whether it reverts", async () => {
  await using devnet = await startDevnet();
  const ask = async (method: string, ...params: unknown[]) => (await call(devnet.url, { path: "/ext/bc/C/rpc", method, params })) as Reply;
  await ask("hardhat_setBalance", ALICE, `0x${AVAX.toString(16)}`);
  await ask("hardhat_setCode", BOB, revertsUntil(devnet.now() + 3600));
  await ask("hardhat_impersonateAccount", ALICE);
  const transaction = { from: ALICE, to: BOB, data: "0xdeadbeef" };
  const { error } = await ask("eth_sendTransaction", transaction);
  expect(error).toMatchObject({ code: 3, data: "0xdeadbeef" });
  expect(error).toEqual((await ask("eth_estimateGas", transaction)).error);
  await devnet.advanceTime(3600);
  expect((await ask("eth_sendTransaction", transaction)).error).toBeUndefined();
});

describe.each(["hardhat", "anvil"] as const)("viem's test client, as of %s", (mode) => {
  test("sets balance, nonce, code and storage, and the Data API has the balance", async () => {
    const evm = client(mode);
    await evm.setBalance({ address: ALICE, value: 3n * AVAX });
    expect(await evm.getBalance({ address: ALICE })).toBe(3n * AVAX);
    expect(await data(`/addresses/${ALICE}/balances:getNative`)).toMatchObject({ nativeTokenBalance: { balance: `${3n * AVAX}` } });
    await evm.setBalance({ address: ALICE, value: AVAX });
    expect(await data(`/addresses/${ALICE}/balances:getNative`)).toMatchObject({ nativeTokenBalance: { balance: `${AVAX}` } });
    const nonce = (await evm.getTransactionCount({ address: ALICE })) + 7;
    await evm.setNonce({ address: ALICE, nonce });
    expect(await evm.getTransactionCount({ address: ALICE })).toBe(nonce);
    await expect(evm.setNonce({ address: ALICE, nonce: nonce - 1 })).rejects.toThrow("must not be smaller than the existing nonce");
    await evm.setCode({ address: BOB, bytecode: READS_SLOT });
    await evm.setStorageAt({ address: BOB, index: 0, value: `0x${"2a".padStart(64, "0")}` });
    expect(await evm.getCode({ address: BOB })).toBe(READS_SLOT);
    expect((await evm.call({ to: BOB })).data).toBe(`0x${"2a".padStart(64, "0")}`);
  });

  test("sends for an account while it is impersonated, a contract too", async () => {
    const evm = client(mode);
    await evm.setCode({ address: ALICE, bytecode: READS_SLOT });
    await evm.setBalance({ address: ALICE, value: 5n * AVAX });
    const transfer = { account: ALICE, chain: null, to: BOB, value: AVAX } as const;
    await expect(evm.sendTransaction(transfer)).rejects.toThrow("unknown account");
    await evm.impersonateAccount({ address: ALICE });
    expect((await rpc("eth_accounts")).result).toContain(ALICE);
    const before = await evm.getBalance({ address: BOB });
    const hash = await evm.sendTransaction(transfer);
    expect(await evm.getTransactionReceipt({ hash })).toMatchObject({ from: ALICE, to: BOB, status: "success" });
    expect(await evm.getTransaction({ hash })).toMatchObject({ hash, from: ALICE, value: AVAX });
    expect(await evm.getBalance({ address: BOB })).toBe(before + AVAX);
    expect(await data(`/transactions/${hash}`)).toMatchObject({
      nativeTransaction: { txHash: hash, from: { address: expect.stringMatching(new RegExp(ALICE, "i")) }, value: `${AVAX}` },
    });
    await evm.stopImpersonatingAccount({ address: ALICE });
    expect((await rpc("eth_accounts")).result).not.toContain(ALICE);
    await expect(evm.sendTransaction(transfer)).rejects.toThrow("unknown account");
    expect((await rpc(`${mode}_autoImpersonateAccount`, true)).error).toBeUndefined();
    await evm.sendTransaction(transfer);
    await rpc(`${mode}_autoImpersonateAccount`, false);
    await expect(evm.sendTransaction(transfer)).rejects.toThrow("unknown account");
    await evm.sendUnsignedTransaction({ from: ALICE, to: BOB, value: 1n });
    expect(await evm.getBalance({ address: BOB })).toBe(before + 2n * AVAX + 1n);
  });

  test("holds blocks back, drops what waits, and makes a block of the rest when it is asked for one", async () => {
    const evm = client(mode);
    expect(await evm.getAutomine()).toBe(true);
    await evm.setAutomine(false);
    expect(await evm.getAutomine()).toBe(false);
    await rpc(`${mode}_autoImpersonateAccount`, true);
    await evm.setBalance({ address: ALICE, value: 9n * AVAX });
    const height = await evm.getBlockNumber({ cacheTime: 0 });
    const send = (value = 1n) => evm.sendTransaction({ account: ALICE, chain: null, to: BOB, value, gas: 50_000n });
    const hashes = [await send(), await send(), await send()];
    expect(await evm.getBlockNumber({ cacheTime: 0 })).toBe(height);
    expect(await evm.getTxpoolStatus()).toEqual({ pending: 3, queued: 0 });
    await evm.dropTransaction({ hash: hashes[2]! });
    await evm.setNextBlockBaseFeePerGas({ baseFeePerGas: 77n });
    await evm.mine({ blocks: 1 });
    const block = await evm.getBlock();
    expect(block).toMatchObject({ number: height + 1n, transactions: hashes.slice(0, 2), baseFeePerGas: 77n });
    const dropped = await send(2n);
    await rpc(`${mode}_dropAllTransactions`);
    expect(await evm.getTxpoolStatus()).toEqual({ pending: 0, queued: 0 });
    await send();
    await evm.setAutomine(true);
    expect(await evm.getBlockNumber({ cacheTime: 0 })).toBe(height + 2n);
    expect((await evm.getBlock()).baseFeePerGas).not.toBe(77n);
    await expect(evm.getTransactionReceipt({ hash: dropped })).rejects.toThrow();
    await rpc(`${mode}_autoImpersonateAccount`, false);
  });
});

/** Called without data it logs that HOLDER got 5 from nowhere; called with data it answers what is in slot 0. */
const HOLDER = "44".repeat(20);
const TRANSFER = "ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
const TOKEN = `36604757600560005273${HOLDER}60007f${TRANSFER}60206000a3005b60005460005260206000f3`;
/** Puts 5 into slot 0 and leaves the token. */
const MAKES_TOKEN = `0x6005600055605380601060003960${"00"}f3${TOKEN}`;

test("balances of a token are those of its storage once that was set, whether or not the token was known before", async () => {
  const evm = client("anvil");
  const from = `0x${new PlainWallet(network, EWOQ_KEY).evmAddress}` as const;
  const send = async (transaction: object) => {
    const hash = (await rpc("eth_sendUnsignedTransaction", { from, gas: "0x30d40", ...transaction })).result as `0x${string}`;
    return evm.getTransactionReceipt({ hash });
  };
  const held = async (more = "") => {
    const { erc20TokenBalances } = (await data(`/addresses/0x${HOLDER}/balances:listErc20${more}`)) as Record<
      string,
      { address: string }[]
    >;
    return Object.fromEntries(
      erc20TokenBalances!.map((token) => [token.address.toLowerCase(), (token as unknown as { balance: string }).balance]),
    );
  };
  const word = (value: number) => `0x${value.toString(16).padStart(64, "0")}` as const;
  const deployed = (await send({ input: MAKES_TOKEN })).contractAddress!.toLowerCase() as `0x${string}`;
  await send({ to: deployed });
  expect(await held()).toEqual({ [deployed]: "5" });
  await evm.setStorageAt({ address: deployed, index: 0, value: word(77) });
  expect(await held()).toEqual({ [deployed]: "77" });
  const set = `0x${"70".repeat(20)}` as const;
  await evm.setCode({ address: set, bytecode: `0x${TOKEN}` });
  await evm.setStorageAt({ address: set, index: 0, value: word(9) });
  await send({ to: set });
  expect(await held()).toEqual({ [deployed]: "77", [set]: "9" });
  await evm.setStorageAt({ address: set, index: 0, value: word(0) });
  expect(await held()).toEqual({ [deployed]: "77" });
  await evm.setStorageAt({ address: set, index: 0, value: word(3) });
  expect(await held(`?contractAddresses=${set}`)).toEqual({ [set]: "3" });
});

test("tokens are dealt by setting the slot that has the balance, though another one holds the same number", async () => {
  // a balance is in the slot that has the holder's number; slot 0 is read before, and must be 7
  const token = `0x${"71".repeat(20)}` as const;
  const evm = client("hardhat");
  await evm.setCode({ address: token, bytecode: "0x600054600714600e5760006000fd5b6004355460005260206000f3" });
  await evm.setStorageAt({ address: token, index: 0, value: `0x${"07".padStart(64, "0")}` });
  const holder = `0x${"00".repeat(19)}09` as const;
  const balance = async () => BigInt((await evm.call({ to: token, data: `0x70a08231${holder.slice(2).padStart(64, "0")}` })).data!);
  expect((await rpc("anvil_dealERC20", holder, token, "0x7")).error).toBeUndefined();
  expect(await balance()).toBe(7n);
  expect((await rpc("hardhat_dealERC20", holder, token, 123)).result).toBe(true);
  expect([await balance(), await evm.getStorageAt({ address: token, slot: "0x0" })]).toEqual([123n, `0x${"07".padStart(64, "0")}`]);
  expect((await rpc("anvil_dealERC20", holder, holder, 1)).error?.message).toContain("keeps the balance in no slot of its own");
});

test("a block that comes at an interval takes what waits", async () => {
  await using other = await startDevnet();
  const evm = client("hardhat", other);
  await evm.setAutomine(false);
  const wallet = new PlainWallet(other, EWOQ_KEY);
  const { result } = await call(other.url, wallet.payInEvm(0n, BOB.slice(2), 5n, GAS_PRICE));
  expect(await evm.getBlockNumber({ cacheTime: 0 })).toBe(0n);
  await evm.setIntervalMining({ interval: 1 });
  await evm.waitForTransactionReceipt({ hash: result as `0x${string}`, pollingInterval: 50 });
  await evm.setIntervalMining({ interval: 0 });
  expect(await evm.getBalance({ address: BOB })).toBe(5n);
});

test("what a test set is there after a restart, and impersonation and held blocks after a revert too", async () => {
  const dataDirectory = scratchDirectory();
  const first = await startDevnet({ dataDirectory });
  const evm = client("hardhat", first);
  const snapshot = await evm.snapshot();
  await evm.impersonateAccount({ address: ALICE });
  await evm.setAutomine(false);
  await evm.revert({ id: snapshot });
  await evm.setBalance({ address: ALICE, value: AVAX });
  const send = (of: typeof evm) => of.sendTransaction({ account: ALICE, chain: null, to: BOB, value: 1n, gas: 21_000n });
  await send(evm);
  await evm.mine({ blocks: 1 });
  const block = await evm.getBlock();
  expect(block).toMatchObject({ number: 1n, transactions: [expect.any(String)] });
  await first.stop();
  await using second = await startDevnet({ dataDirectory });
  const again = client("hardhat", second);
  expect(await again.getBlock()).toEqual(block);
  expect(await again.getAutomine()).toBe(false);
  await send(again);
  expect(await again.getBlockNumber({ cacheTime: 0 })).toBe(1n);
  await again.setAutomine(true);
  expect(await again.getBalance({ address: BOB })).toBe(2n);
});

test.each([
  ["hardhat_setBalance", ["0x1", "0x1"], "the address must be 0x and 40 digits of hex"],
  ["anvil_setBalance", [ALICE, "much"], "the balance in wei must be a whole number from 0 to "],
  ["hardhat_setBalance", [ALICE, `0x1${"0".repeat(64)}`], "the balance in wei must be a whole number"],
  ["hardhat_setNonce", [ALICE, "0xffffffffffffffff"], "the nonce must be a whole number from 0 to 18446744073709551614"],
  ["anvil_setCode", [ALICE, "0x123"], "the code must be 0x and an even number of digits of hex"],
  ["hardhat_setCode", [ALICE, `0x${"00".repeat(24_577)}`], "the code has 24577 bytes; it may have at most 24576"],
  ["hardhat_setStorageAt", [ALICE, "0x0", "0x1"], "the value must be 32 bytes: 0x and 64 digits of hex"],
  ["hardhat_setStorageAt", [ALICE, "x", `0x${"00".repeat(32)}`], "the slot must be a whole number"],
  ["evm_setAutomine", [1], "the first parameter must be true or false"],
  ["evm_setIntervalMining", [[1, 2]], "the interval must be one number; a range is not supported"],
  ["hardhat_impersonateAccount", [], "the address must be 0x and 40 digits of hex"],
  ["anvil_dropTransaction", ["0x12"], "the hash of the transaction must be 32 bytes"],
  ["eth_sendTransaction", [], "the transaction is missing; use an object"],
  ["eth_sendUnsignedTransaction", [{ from: ALICE }], "contract creation without any data provided"],
  ["eth_sendUnsignedTransaction", [{ from: ALICE, to: BOB, type: "0x3" }], "transaction type not supported"],
  ["eth_sendUnsignedTransaction", [{ from: ALICE, to: BOB, chainId: "0x1" }], "chainId does not match node's (have=1, want=43112)"],
  ["eth_sendUnsignedTransaction", [{ from: ALICE, to: BOB, data: "0x01", input: "0x02" }], `both "data" and "input" are set and not equal`],
  ["eth_sendUnsignedTransaction", [{ from: ALICE, to: BOB, gas: "0x7530", accessList: [{}] }], "the transaction.accessList"],
])("%s %j is refused: %s", async (method, params, text) => {
  const { error } = await rpc(method, ...params);
  expect(error?.message).toContain(text);
});

test.each([
  "anvil_reset",
  "hardhat_setPrevRandao",
  "anvil_rollback",
  "anvil_reorg",
  "anvil_setChainId",
  "hardhat_setMinGasPrice",
  "evm_nothing",
])("%s does not exist", async (method) => {
  expect((await rpc(method)).error).toMatchObject({ code: -32_601, message: `the method ${method} does not exist/is not available` });
});
