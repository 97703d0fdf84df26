/** A devnet signs for the accounts whose keys it tells: transactions, messages and typed data, as viem and ethers ask for it. */
import { JsonRpcProvider } from "ethers";
import { createPublicClient, createWalletClient, defineChain, http, parseGwei, recoverMessageAddress } from "viem";
import { mnemonicToAccount } from "viem/accounts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { DEFAULT_MNEMONIC } from "../../src/devnet/account-options.ts";
import { type LocalNetwork, startDevnet } from "../../src/serve/local-network/start.ts";
import { call, type Reply } from "../devnet/json-rpc.ts";

const EWOQ = "0x8db97C7cEcE249c2b98bDC0226Cc4C2A57BF52FC";
const RECEIVER = `0x${"22".repeat(20)}` as const;
const first = mnemonicToAccount(DEFAULT_MNEMONIC);

let network: LocalNetwork;
beforeAll(async () => {
  network = await startDevnet();
});
afterAll(() => network?.stop());

const rpc = (method: string, ...params: unknown[]): Promise<Reply> => call(network.url, { path: "/ext/bc/C/rpc", method, params });
const chain = () =>
  defineChain({
    id: network.evmChainId,
    name: "devnet",
    nativeCurrency: { name: "Avalanche", symbol: "AVAX", decimals: 18 },
    rpcUrls: { default: { http: [network.urls.C] } },
  });
const reader = () => createPublicClient({ chain: chain(), transport: http() });
/** Asks the node to sign. */
const wallet = () => createWalletClient({ account: first.address, chain: chain(), transport: http() });

test("eth_accounts lists them, ewoq first", async () => {
  const addresses = network.accounts.map(({ addresses: { evm } }) => evm);
  expect(addresses.slice(0, 2)).toEqual([EWOQ, first.address]);
  expect(addresses).toHaveLength(10);
  expect((await rpc("eth_accounts")).result).toEqual(addresses.map((address) => address.toLowerCase()));
});

describe("a transaction", () => {
  test.each([
    ["without fees", {}, "eip1559"],
    ["with a gas price", { gasPrice: parseGwei("30") }, "legacy"],
    ["with an access list", { gasPrice: parseGwei("30"), accessList: [{ address: RECEIVER, storageKeys: [] }] }, "eip2930"],
    ["with dynamic fees", { maxFeePerGas: parseGwei("40"), maxPriorityFeePerGas: 7n, gas: 50_000n }, "eip1559"],
  ])("%s is signed, and mined as one that its sender signed", async (_, fees, type) => {
    const before = await reader().getBalance({ address: RECEIVER });
    const hash = await wallet().sendTransaction({ to: RECEIVER, value: 5n, ...fees } as Parameters<
      ReturnType<typeof wallet>["sendTransaction"]
    >[0]);
    const transaction = await reader().getTransaction({ hash });
    expect(transaction).toMatchObject({ from: first.address.toLowerCase(), type, value: 5n, chainId: 43112 });
    expect(await reader().getBalance({ address: RECEIVER })).toBe(before + 5n);
    // its own bytes tell the sender
    const raw = (await rpc("debug_getRawTransaction", hash)).result as string;
    expect((await rpc("eth_sendRawTransaction", raw)).error?.message).toMatch(/already|nonce/);
  });

  test("of many sent at once has a nonce of its own", async () => {
    const from = network.accounts[2]!.addresses.evm;
    const replies = await Promise.all(Array.from({ length: 5 }, () => rpc("eth_sendTransaction", { from, to: RECEIVER, value: "0x1" })));
    expect(new Set(replies.map(({ result }) => result)).size).toBe(5);
    expect((await rpc("eth_getTransactionCount", from, "latest")).result).toBe("0x5");
  });

  test("that fails is refused as when it was signed by its sender", async () => {
    const from = network.accounts[3]!.addresses.evm;
    expect((await rpc("eth_sendTransaction", { from, data: "0x60006000fd" })).error?.message).toContain("execution reverted");
    expect(
      (await rpc("eth_sendTransaction", { from, to: RECEIVER, value: "0x1", gas: "0x5208", nonce: "0x0", gasPrice: "0x0" })).error,
    ).toBeDefined();
    expect((await rpc("eth_sendTransaction", { from: RECEIVER, to: EWOQ })).error).toEqual({ code: -32000, message: "unknown account" });
  });
});

describe("messages", () => {
  test("are signed as by the key itself", async () => {
    for (const message of ["", "a text", { raw: "0xfeff00" as const }]) {
      const bytes = typeof message === "string" ? `0x${Buffer.from(message).toString("hex")}` : message.raw;
      const { result } = await rpc("eth_sign", first.address, bytes);
      expect(result).toBe(await first.signMessage({ message }));
      expect(await recoverMessageAddress({ message, signature: result as `0x${string}` })).toBe(first.address);
    }
    expect((await rpc("eth_sign", RECEIVER, "0x00")).error?.message).toBe("unknown account");
    expect((await rpc("eth_sign", first.address, "text")).error?.message).toContain("the message must be 0x");
    expect((await rpc("personal_sign", "0x00", first.address)).error?.message).toContain("does not exist/is not available");
  });

  test("of types are signed for viem and ethers", async () => {
    const domain = { name: "a contract", chainId: 43112 };
    const types = {
      Payment: [
        { name: "to", type: "address" },
        { name: "amounts", type: "uint256[]" },
      ],
    };
    const message = { to: RECEIVER, amounts: [1n, 2n] };
    const signature = await first.signTypedData({ domain, types, primaryType: "Payment", message });
    expect(await wallet().signTypedData({ domain, types, primaryType: "Payment", message })).toBe(signature);
    const provider = new JsonRpcProvider(network.urls.C, network.evmChainId, { staticNetwork: true });
    const signer = await provider.getSigner(1);
    expect(await signer.signTypedData(domain, types, message)).toBe(signature);
    const sent = await signer.sendTransaction({ to: RECEIVER, value: 1n });
    expect((await sent.wait())?.status).toBe(1);
    provider.destroy();
    expect((await rpc("eth_signTypedData_v4", first.address, "{")).error?.message).toContain("is a text that is not JSON");
  });
});

test("there are as many accounts as asked for, of the mnemonic that is named, on a chain of the ID that is named", async () => {
  const mnemonic = "legal winner thank year wave sausage worth useful legal winner thank yellow";
  await using other = await startDevnet({ accounts: 2, mnemonic, cChainId: 43114 });
  const account = mnemonicToAccount(mnemonic);
  expect(other.accounts.map(({ addresses: { evm } }) => evm)).toEqual([EWOQ, account.address]);
  const ask = async (method: string, ...params: unknown[]) => (await call(other.url, { path: "/ext/bc/C/rpc", method, params })).result;
  expect(await ask("eth_chainId")).toBe("0xa86a");
  expect(BigInt((await ask("eth_getBalance", account.address, "latest")) as string)).toBe(10_000n * 10n ** 18n);
  const hash = await ask("eth_sendTransaction", { from: account.address, to: RECEIVER, value: "0x1" });
  const response = await fetch(`${other.url}/v1/chains/43114/transactions/${hash}`);
  expect(await response.json()).toMatchObject({ nativeTransaction: { txHash: hash, value: "1" } });
  const onP = await call(other.url, {
    path: "/ext/bc/P",
    method: "platform.getBalance",
    params: { addresses: [other.accounts[1]!.addresses.P] },
  });
  expect((onP.result as { balance: string }).balance).toBe(`${10_000n * 10n ** 9n}`);
});
