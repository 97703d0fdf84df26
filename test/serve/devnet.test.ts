/**
 * A devnet over HTTP: an issued transaction is in both interfaces when the answer arrives, and the effects of `firn.*` are visible
 * everywhere.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { EWOQ_KEY } from "../../src/devnet/account-keys.ts";
import { type LocalNetwork, startDevnet } from "../../src/serve/local-network/start.ts";
import { PlainWallet, type SignedIssue } from "../devnet/load/plain-wallet.ts";

const AVAX = 1_000_000_000n;
const FIRST = "NodeID-7Xhw2mDxuDS44j42TCB6U5579esbSt3Lg";
const RECEIVER = "11".repeat(20);

let network: LocalNetwork;
let wallet: PlainWallet;

beforeAll(async () => {
  network = await startDevnet({ hasEvm: false });
  wallet = new PlainWallet(network, EWOQ_KEY);
});
afterAll(() => network?.stop());

interface Answer {
  readonly headers: Headers;
  readonly result: Record<string, unknown>;
  readonly error?: { readonly message: string };
}

async function ask(path: string, method: string, params: object = {}): Promise<Answer> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const response = await fetch(network.url + path, { method: "POST", headers: { "Content-Type": "application/json" }, body });
  return { headers: response.headers, ...((await response.json()) as Omit<Answer, "headers">) };
}

const firn = async (method: string, params: object = {}) => (await ask("/ext/firn", `firn.${method}`, params)).result;

async function get(path: string): Promise<Record<string, unknown>> {
  return (await fetch(network.url + path)).json() as Promise<Record<string, unknown>>;
}

const issue = ({ path, method, params }: SignedIssue) => ask(path, method, params as object);

async function transfer(chain: "P" | "X", amount = AVAX): Promise<SignedIssue> {
  const coins = await wallet.coins(network.url, chain);
  return wallet.transfer(chain, coins.slice(0, 1), [{ to: RECEIVER, amount }])!;
}

const statusOf = async (chain: "P" | "X", txId: string) =>
  (await ask(`/ext/bc/${chain}`, `${chain === "P" ? "platform" : "avm"}.getTxStatus`, { txID: txId })).result.status;

describe.each([
  ["P", "p-chain", "Committed"],
  ["X", "x-chain", "Accepted"],
] as const)("A transfer on %s", (chain, dataChain, accepted) => {
  test("is accepted when the answer comes, and shows in both interfaces and in the heights", async () => {
    const before = Number((await ask("/ext/firn", "firn.getStatus")).headers.get(`Firn-Height-${chain}`));
    const signed = await transfer(chain);
    expect(await statusOf(chain, signed.txId)).toBe("Unknown");
    const { headers, result } = await issue(signed);
    expect(result).toEqual({ txID: signed.txId });
    expect(Number(headers.get(`Firn-Height-${chain}`))).toBe(before + 1);
    expect(await statusOf(chain, signed.txId)).toBe(accepted);
    const listed = await get(`/v1/networks/fuji/blockchains/${dataChain}/transactions/${signed.txId}`);
    expect(listed.txHash).toBe(signed.txId);
    expect((listed.emittedUtxos as object[]).map((utxo) => JSON.stringify(utxo))).toContainEqual(
      expect.stringContaining(`"amount":"${AVAX}"`),
    );
  });

  test("that spends what is spent is refused in the node's words, whatever came between", async () => {
    const [first, second] = [await transfer(chain, AVAX), await transfer(chain, 2n * AVAX)];
    await issue(first);
    const { error } = await issue(second);
    expect(error?.message).toContain("not found");
    expect(error?.message.startsWith("couldn't issue tx: ")).toBe(chain === "P");
  });

  test("that was accepted already is refused, and one that is no transaction has the parser's words", async () => {
    const signed = await transfer(chain);
    await issue(signed);
    expect((await issue(signed)).error).toBeDefined();
    const { error } = await ask(signed.path, signed.method, { tx: "0x00007a6b", encoding: "hexnc" });
    expect(error?.message).toContain("packer has insufficient length for input");
  });
});

test("one that goes by the wallet's endpoint is accepted too", async () => {
  const signed = await transfer("X");
  const { result } = await ask("/ext/bc/X/wallet", "wallet.issueTx", signed.params as object);
  expect(result).toEqual({ txID: signed.txId });
  expect(await statusOf("X", signed.txId)).toBe("Accepted");
});

test("many at once are all answered, each by its own ID", async () => {
  const coins = await wallet.coins(network.url, "X");
  const split = wallet.transfer(
    "X",
    coins.slice(0, 1),
    Array.from({ length: 40 }, () => ({ to: wallet.address, amount: AVAX })),
  )!;
  await issue(split);
  const small = (await wallet.coins(network.url, "X")).filter(({ amount }) => amount === AVAX).slice(0, 40);
  const signed = small.map((coin) => wallet.transfer("X", [coin], [{ to: RECEIVER, amount: AVAX / 2n }])!);
  const answers = await Promise.all(signed.map(issue));
  expect(answers.map(({ result }) => result.txID)).toEqual(signed.map(({ txId }) => txId));
});

describe("The node", () => {
  test("is the first validator of genesis, with its key, and healthy", async () => {
    const { result } = await ask("/ext/info", "info.getNodeID");
    expect(result).toMatchObject({ nodeID: FIRST });
    const response = await fetch(`${network.url}/ext/health`);
    expect(response.status).toBe(200);
    const { checks } = (await response.json()) as { checks: Record<string, { message: object }> };
    expect(checks.bls!.message).toBe("node has the correct BLS key");
    expect(checks.network!.message).toMatchObject({ source: "devnet" });
  });

  test("knows its chains, and no devnet's methods besides those under /ext/firn", async () => {
    for (const chain of ["P", "X", "C"]) {
      expect((await ask("/ext/info", "info.isBootstrapped", { chain })).result).toEqual({ isBootstrapped: true });
    }
    expect((await ask("/ext/info", "firn.mine")).error?.message).toContain("can't find service");
  });
});

describe("The clock", () => {
  test("is every answer's, and moves both interfaces", async () => {
    const before = (await firn("getStatus")).unixTime as number;
    const { unixTime } = await firn("advanceTime", { seconds: 3600 });
    expect(Number(unixTime) - before).toBeGreaterThanOrEqual(3600);
    await issue(await transfer("P"));
    const { timestamp } = (await ask("/ext/bc/P", "platform.getTimestamp")).result;
    expect(Date.parse(`${timestamp}`) / 1000).toBeGreaterThanOrEqual(before + 3600);
  });

  test("that was moved shows in the overview at once, even if no block was made", async () => {
    const { isDevnet, clockOffset } = await get("/v1/overview");
    expect(isDevnet).toBe(true);
    await firn("advanceTime", { seconds: 60 });
    const moved = (await get("/v1/overview")).clockOffset as number;
    // the offset is rounded
    expect(Math.abs(moved - (clockOffset as number) - 60)).toBeLessThanOrEqual(1);
  });

  test("does not go back", async () => {
    expect((await ask("/ext/firn", "firn.setTime", { time: 1_800_000 })).error?.message).toContain("only goes forward");
  });
});

test("An uptime shows in both interfaces at once", async () => {
  const shown = async () => {
    const { result } = await ask("/ext/bc/P", "platform.getCurrentValidators", { nodeIDs: [FIRST] });
    const { validators } = await get(`/v1/networks/fuji/validators/${FIRST}`);
    const [{ uptime }] = result.validators as [{ uptime: string }];
    const [{ uptimePerformance }] = validators as [{ uptimePerformance: number }];
    return [uptime, uptimePerformance];
  };
  expect(await shown()).toEqual(["100.0000", 100]);
  await firn("setUptime", { nodeID: FIRST, uptime: "79.9" });
  expect(await shown()).toEqual(["79.9000", 79.9]);
  // a fifth of the stake is its own, and it counts itself as always there
  expect((await ask("/ext/info", "info.uptime")).result.rewardingStakePercentage).toBe("20.0000");
  expect(await firn("getUptime", { nodeID: FIRST })).toMatchObject({ uptime: "79.9000" });
});

test("A port that is taken is told in one sentence, and nothing is left behind", async () => {
  const httpPort = Number(new URL(network.url).port);
  await expect(startDevnet({ hasEvm: false, httpPort })).rejects.toThrow(
    `port ${httpPort} on 127.0.0.1 is in use; stop the program that listens there`,
  );
});
