/** Every type of transaction of P, X and C in the recordings: what the screen shows is what the API says. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { components } from "../../explorer/src/api/data-api.d.ts";
import type { RecordingName } from "../conformance/recordings.ts";
import { drawn } from "../share.ts";
import { useBrowser, type Visit } from "./browser.ts";
import { hasBrowser, skipReason } from "./chromium.ts";
import { type Alias, CHAINS, linksTo, type Transaction, transactionsOf } from "./primary-api.ts";
import { digits, type Network, sentenceOf } from "./sentences.ts";
import { ask, recordedWorld, SAMPLES, type World } from "./worlds.ts";

type Utxo = components["schemas"]["PChainUtxo"] | components["schemas"]["Utxo"];

const WORLDS = ["latest-1", "eras-1", "p-eras-old", "x-dag"] as const satisfies readonly RecordingName[];
/** Of these every type is looked at. */
const DRAWN = drawn("recordings whose transactions are shown", WORLDS, 1);
/** As many of each type are looked at: the last one of the chain, and the first ones. */
const OF_EACH = SAMPLES;

const { visit } = useBrowser();
const worlds = new Map<RecordingName, World>();

beforeAll(async () => {
  if (!hasBrowser) return;
  for (const name of new Set([...DRAWN, "eras-1" as const])) worlds.set(name, await recordedWorld(name));
});
afterAll(async () => {
  for (const world of worlds.values()) await world.stop();
});

/** Some of each type; the ones that the API does not name differ in their members. */
function samples(all: readonly Transaction[]): Transaction[] {
  const kinds = new Map<string, Transaction[]>();
  for (const tx of all) {
    const kind = `${tx.txType} ${tx.txType === "UNKNOWN" ? Object.keys(tx).sort().join() : ""}`;
    kinds.set(kind, [...(kinds.get(kind) ?? []), tx]);
  }
  return [...kinds.values()].flatMap((some) => [...new Set([...some.slice(0, OF_EACH - 1), some.at(-1)!])]);
}

interface ShownUtxo {
  readonly id: string;
  readonly text: string;
  readonly amount: string | null;
  readonly amountText: string | null;
  readonly addresses: readonly string[];
  readonly links: readonly string[];
}

async function shownUtxos(user: Visit): Promise<ShownUtxo[]> {
  return user.page.locator("li[data-utxo]").evaluateAll((items) =>
    items.map((item) => ({
      id: item.getAttribute("data-utxo")!,
      text: item.textContent!,
      amount: item.querySelector("data")?.getAttribute("value") ?? null,
      amountText: item.querySelector("data")?.textContent ?? null,
      addresses: [...item.querySelectorAll("a[href^='#/address/']")].map((link) => link.getAttribute("title")!),
      links: [...item.querySelectorAll("a[href*='/tx/']")].map((link) => link.getAttribute("href")!),
    })),
  );
}

const ALIASES_ON = new Map<World, Map<string, string>>();
async function aliasesOn(world: World): Promise<Map<string, string>> {
  const known = ALIASES_ON.get(world);
  if (known !== undefined) return known;
  const { chains } = await ask<components["schemas"]["Overview"]>(world, "/v1/overview");
  const aliases = new Map(chains.map(({ blockchainId, alias }) => [blockchainId, alias as string]));
  ALIASES_ON.set(world, aliases);
  return aliases;
}

async function avaxIdOf({ url }: World): Promise<string> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "platform.getStakingAssetID", params: {} });
  const answer = await fetch(`${url}/ext/bc/P`, { method: "POST", headers: { "content-type": "application/json" }, body });
  return ((await answer.json()) as { result: { assetID: string } }).result.assetID;
}

const GENESIS = "11111111111111111111111111111111LpoYY";
const isRight = (utxo: Utxo) => /mint|owned/.test(utxo.utxoType);

/** Compares one UTXO of the API's answer with the screen. */
function compare(shown: ShownUtxo, utxo: Utxo, is: "consumed" | "emitted", aliases: ReadonlyMap<string, string>): void {
  const home = aliases.get(utxo.consumedOnChainId);
  expect(shown.addresses).toEqual(utxo.addresses.map((address) => `${home}-${address}`));
  if (!isRight(utxo)) {
    const { amount, denomination, type } = utxo.asset;
    expect(shown.amount).toBe(amount);
    expect(shown.amountText).toBe(digits(amount, type === "nft" ? 0 : denomination));
  }
  if (utxo.addresses.length > 1) expect(shown.text).toContain(`${utxo.threshold} of these ${utxo.addresses.length} must sign`);
  const created = "creationTxHash" in utxo ? utxo.creationTxHash : utxo.txHash;
  if (is === "consumed") {
    if (created === GENESIS) expect(shown.text).toContain("the genesis");
    else expect(shown.links).toContain(`#/${aliases.get(utxo.createdOnChainId)}/tx/${created}`);
  } else if (utxo.consumingTxHash === undefined) {
    expect(shown.text).toContain("not spent");
  } else {
    expect(shown.links).toContain(`#/${home}/tx/${utxo.consumingTxHash}`);
  }
  const locks = "creationTxHash" in utxo ? [utxo.locktime] : [utxo.platformLocktime, utxo.stakeableLocktime];
  for (const lock of locks)
    if (lock) expect(shown.text).toContain(new Date(Number(lock) * 1000).toISOString().slice(0, 19).replace("T", " "));
}

async function compareScreen(user: Visit, chain: Alias, tx: Transaction, network: Network): Promise<void> {
  const { aliases } = network;
  const text = await user.text();
  const sentence = await user.text(".sentence");
  const expected = sentenceOf(chain, tx, network);
  if (expected === undefined) expect(sentence).toMatch(/^\S.*[^.]\.$/);
  else expect(sentence).toBe(`${expected}.`.replace(/\s+/g, " "));
  expect(text).toContain(tx.txHash);
  const shown = new Map((await shownUtxos(user)).map((utxo) => [utxo.id, utxo]));
  const consumed: readonly Utxo[] = "consumedUtxos" in tx ? tx.consumedUtxos : [];
  const emitted: readonly Utxo[] = "emittedUtxos" in tx ? tx.emittedUtxos : [];
  for (const utxo of consumed) compare(shown.get(utxo.utxoId)!, utxo, "consumed", aliases);
  for (const utxo of emitted) compare(shown.get(utxo.utxoId)!, utxo, "emitted", aliases);
  const accounts = [
    ...("evmInputs" in tx ? tx.evmInputs.map(({ fromAddress, asset }) => ({ address: fromAddress, asset })) : []),
    ...("evmOutputs" in tx ? tx.evmOutputs.map(({ toAddress, asset }) => ({ address: toAddress, asset })) : []),
  ];
  for (const [i, { address, asset }] of accounts.entries()) {
    expect(shown.get(`account ${i}`)).toMatchObject({ amount: asset.amount, addresses: [address] });
  }
  expect(shown.size).toBe(consumed.length + emitted.length + accounts.length);
  if ("amountBurned" in tx) {
    if (tx.txType === "UNKNOWN") expect(text).toMatch(/(?:Add|Set|Reward)AutoRenewedValidator/);
    for (const sum of [...tx.amountBurned, ...tx.amountStaked, ...tx.amountL1ValidatorBalanceBurned]) {
      expect(text).toContain(digits(sum.amount, sum.denomination));
    }
    if (tx.nodeId !== undefined) expect(await linksTo(user, `#/validator/${tx.nodeId}`)).toBeGreaterThan(0);
    if (tx.stakingTxHash !== undefined) expect(await linksTo(user, `#/P/tx/${tx.stakingTxHash}`)).toBeGreaterThan(0);
    if (tx.rewardTxHash !== undefined) expect(await linksTo(user, `#/P/tx/${tx.rewardTxHash}`)).toBeGreaterThan(0);
    if (tx.subnetId !== undefined && tx.subnetId !== GENESIS) expect(await linksTo(user, `#/subnet/${tx.subnetId}`)).toBeGreaterThan(0);
    for (const { validationId } of tx.l1ValidatorDetails ?? []) {
      expect(await linksTo(user, `#/l1-validator/${validationId}`)).toBeGreaterThan(0);
    }
  }
  const height = "blockNumber" in tx ? tx.blockNumber : "blockHeight" in tx ? `${tx.blockHeight}` : undefined;
  if (height !== undefined) expect(await linksTo(user, `#/${chain}/block/${height}`)).toBeGreaterThan(0);
  if ("vertices" in tx) for (const { hash } of tx.vertices) expect(await linksTo(user, `#/X/vertex/${hash}`)).toBe(1);
}

/** Shows all UTXOs of a transaction that has many. */
async function showAll(user: Visit): Promise<void> {
  const more = user.page.getByRole("button", { name: /^Show \d+ more of/ });
  while ((await more.count()) > 0) await more.first().click();
}

function requestsWithoutAnswer({ page }: Visit): ReadonlySet<unknown> {
  const waiting = new Set<unknown>();
  page.on("request", (request) => waiting.add(request));
  page.on("requestfinished", (request) => waiting.delete(request));
  page.on("requestfailed", (request) => waiting.delete(request));
  return waiting;
}

/** Requests that the screen made since then, but those of the frame. */
function requests(user: Visit, since: number): string[] {
  return user.urls.slice(since).filter((url) => /\/(?:v1|ext)\//.test(url) && !url.endsWith("/v1/overview"));
}

describe.skipIf(!hasBrowser)(`transactions of recordings${skipReason}`, () => {
  test.each(DRAWN)("of every type in %s are shown as the API has them", async (name) => {
    const world = worlds.get(name)!;
    const network = { aliases: await aliasesOn(world), avaxId: await avaxIdOf(world) };
    const user = await visit(world.url);
    const waiting = requestsWithoutAnswer(user);
    for (const chain of ["P", "X", "C"] as const) {
      for (const tx of samples(await transactionsOf(world, chain))) {
        const before = user.urls.length;
        await user.open(`/${chain}/tx/${tx.txHash}`);
        await expect.poll(() => user.text(), { message: tx.txHash }).toContain(tx.txHash);
        await expect.poll(() => waiting.size, { message: tx.txHash }).toBe(0);
        // the answer, the node's JSON and status, the ID of AVAX once, and the block that decided a proposal
        expect(requests(user, before).length, `${tx.txType} ${tx.txHash}`).toBeLessThanOrEqual(chain === "P" ? 5 : 2);
        await showAll(user);
        try {
          await compareScreen(user, chain, tx, network);
        } catch (error) {
          throw new Error(`${chain} ${tx.txType} ${tx.txHash}: ${(error as Error).message}\n${await user.text()}`, { cause: error });
        }
        expect(user.problems.splice(0), `${tx.txType} ${tx.txHash}`).toEqual([]);
      }
    }
    await user.end();
  });

  test("lead from an export to its import on the other chain, and back", async () => {
    const world = worlds.get("eras-1")!;
    const user = await visit(world.url);
    const pairs = new Set<string>();
    for (const chain of ["P", "X", "C"] as const) {
      for (const tx of await transactionsOf(world, chain)) {
        if (tx.txType !== "ExportTx" || !("emittedUtxos" in tx)) continue;
        const taken = tx.emittedUtxos.find(
          ({ consumingTxHash, consumedOnChainId, createdOnChainId }) =>
            consumingTxHash !== undefined && consumedOnChainId !== createdOnChainId,
        );
        const other = (await aliasesOn(world)).get(taken?.consumedOnChainId ?? "");
        if (taken === undefined || pairs.has(`${chain} ${other}`)) continue;
        pairs.add(`${chain} ${other}`);
        await user.open(`/${chain}/tx/${tx.txHash}`);
        await user.page.locator(`dd a[href="#/${other}/tx/${taken.consumingTxHash}"]`).click();
        await expect.poll(() => user.text()).toContain(taken.consumingTxHash!);
        await user.page.locator(`dd a[href="#/${chain}/tx/${tx.txHash}"]`).first().click();
        await expect.poll(() => user.text()).toContain(tx.txHash);
      }
    }
    expect(pairs).toContain("P C");
    expect(pairs).toContain("C P");
    expect(pairs.size).toBeGreaterThanOrEqual(4);
    expect(user.problems).toEqual([]);
    await user.end();
  });

  test("have their bytes and JSON as the node says them", async () => {
    const world = worlds.get("eras-1")!;
    const user = await visit(world.url);
    for (const [chain, method] of [
      ["P", "platform.getTx"],
      ["X", "avm.getTx"],
    ] as const) {
      const [tx] = await transactionsOf(world, chain);
      const call = async (encoding: string) => {
        const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { txID: tx!.txHash, encoding } });
        const answer = await fetch(`${world.url}/ext/bc/${chain}`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body,
        });
        return (await answer.text()).trim();
      };
      await user.open(`/${chain}/tx/${tx!.txHash}`);
      for (const summary of await user.page.locator("summary", { hasText: method }).all()) await summary.click();
      await expect.poll(() => user.page.locator("details pre").count()).toBe(2);
      const [bytes, json] = await user.page.locator("details pre").allTextContents();
      expect(bytes).toBe(JSON.parse(await call("hex")).result.tx);
      const withoutSpace = (text: string) => text.replace(/"id":\s*\d+/, "").replace(/\s/g, "");
      expect(withoutSpace(json!)).toBe(withoutSpace(await call("json")));
    }
    await user.end();
  });

  test("of every type have no barrier on a phone", async () => {
    const world = worlds.get("eras-1")!;
    const user = await visit(world.url, { colorScheme: "dark", viewport: { width: 360, height: 740 } });
    for (const chain of ["P", "X", "C"] as const) {
      const firstOfEach = new Map((await transactionsOf(world, chain)).map((tx) => [tx.txType, tx]));
      for (const { txHash, txType } of firstOfEach.values()) {
        await user.open(`/${chain}/tx/${txHash}`);
        await expect.poll(() => user.text()).toContain(txHash);
        expect(await user.barriers(), `${txType} ${txHash}`).toEqual([]);
      }
    }
    expect(user.problems).toEqual([]);
    await user.end();
  });

  test("that do not exist are said to be unknown", async () => {
    const user = await visit(worlds.get("eras-1")!.url, { expected: ["404"] });
    for (const chain of ["P", "X", "C"] as const) {
      const { [chain]: name } = CHAINS;
      await user.open(`/${chain}/tx/ddrom6zqwGiFTnwrWDPDFTyopjuWNDA2QweybNV16UnaotrYh`);
      await expect.poll(() => user.text()).toContain(`the ${name} has no transaction ddrom6zqwGiFTnwrWDPDFTyopjuWNDA2QweybNV16UnaotrYh`);
    }
    expect(user.problems).toEqual([]);
    await user.end();
  });
});
