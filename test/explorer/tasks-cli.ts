/**
 * `npm run explorer:tasks`: does eight things for which people open the explorer, on a busy local network, as they would do them, and says for each how many
 * actions it took from the home page (clicks; what is typed or pasted and entered is one), and where the answer stands: its place from the top, and whether
 * that is above the fold. A figure of itself says little: compare it with another version's.
 */
import type { Locator, Page } from "playwright-core";
import { Visit } from "./browser.ts";
import { buildExplorer } from "./build.ts";
import { startBusyDevnet } from "./busy-devnet.ts";
import { hasBrowser, skipReason, startBrowser } from "./chromium.ts";
import { ask } from "./worlds.ts";

const FORMS = [
  { width: 1400, height: 900 },
  { width: 390, height: 844 },
];
/** a version that lacks something is not waited for longer */
const PATIENCE_MS = 8000;

/** Acts as a person does, and counts it. */
class Person {
  readonly page: Page;
  actions = 0;

  constructor(page: Page) {
    this.page = page;
    page.setDefaultTimeout(PATIENCE_MS);
  }

  async click(what: Locator): Promise<void> {
    this.actions++;
    await what.first().click();
  }

  async find(text: string): Promise<void> {
    this.actions++;
    const field = this.page.locator("header input").first();
    await field.fill(text);
    await field.press("Enter");
  }

  async fill(field: Locator, text: string): Promise<void> {
    this.actions++;
    await field.first().fill(text);
  }
}

interface Task {
  readonly name: string;
  /** goes from the home page to the answer, and returns where that is */
  run(person: Person): Promise<Locator>;
}

if (!hasBrowser) throw new Error(skipReason.trim());
await buildExplorer();
const browser = await startBrowser();
const devnet = await startBusyDevnet();
const { url, contracts, failed } = devnet;

interface Transactions {
  readonly transactions: readonly { readonly txHash: string; readonly txType: string }[];
}
const { transactions } = await ask<Transactions>({ url }, "/v1/networks/local/blockchains/p-chain/transactions?pageSize=50");
const moved = transactions.find(({ txType }) => txType === "ExportTx")!.txHash;
interface Validators {
  readonly validators: readonly { readonly nodeId: string }[];
}
const { validators } = await ask<Validators>({ url }, "/v1/networks/local/validators?pageSize=1&validationStatus=active");
const abi = JSON.stringify((await import("../sdk/devnet/tokens.ts")).tokenContract("Coin").abi);

/** The search finds a token and an address, unless it opens one at once. */
async function openToken(person: Person): Promise<void> {
  await person.find(contracts.coin);
  await person.click(person.page.locator(`main a[href*="/token/${contracts.coin}" i]`));
}

const TASKS: readonly Task[] = [
  {
    name: "find why my transaction failed",
    async run(person) {
      await person.find(failed);
      return person.page.getByText(/a reason given/);
    },
  },
  {
    name: "who holds my token",
    async run(person) {
      await openToken(person);
      await person.click(person.page.getByRole("link", { name: "Holders", exact: true }));
      return person.page.locator("main td", { hasText: "%" });
    },
  },
  {
    name: "what a validator earns, and when it ends",
    async run(person) {
      await person.find(validators[0]!.nodeId);
      return person.page.getByText("Potential reward", { exact: true });
    },
  },
  {
    name: "what an L1 has left",
    async run(person) {
      const { page } = person;
      const menu = page.getByRole("button", { name: "Menu" });
      if (await menu.isVisible()) await person.click(menu);
      await person.click(page.getByRole("link", { name: "L1s", exact: true }));
      const left = page.getByText(/Used up, at the present price|Lasts/).or(page.locator("main td", { hasText: /^100 AVAX$/ }));
      const tab = page.getByRole("link", { name: "Validators", exact: true }).and(page.locator("main a"));
      await Promise.race([left.first().waitFor(), tab.first().waitFor()]);
      if (!(await left.first().isVisible())) await person.click(tab);
      return left;
    },
  },
  {
    name: "where an AVAX went from P",
    async run(person) {
      await person.find(moved);
      return person.page.getByText(/from P to|P-chain → |Imported by/);
    },
  },
  {
    name: "fund a key, and call my contract",
    async run(person) {
      const { page } = person;
      await openToken(person);
      const drop = page.locator("input[type=file]");
      await person.click(page.locator(`main a[href*="/contract/${contracts.coin}" i]`));
      await drop.waitFor({ state: "attached" });
      person.actions++;
      await drop.setInputFiles({ name: "abi.json", mimeType: "application/json", buffer: Buffer.from(abi) });
      const call = page.locator(".function", { hasText: "approve(address,uint256)" });
      await person.fill(call.getByRole("textbox").nth(0), "0x70997970C51812dc3A010C7d01b50e0d17dc79C8");
      await person.fill(call.getByRole("textbox").nth(1), "5");
      await person.click(call.getByRole("button", { name: "Send" }));
      return call.getByText(/0x[0-9a-f]{4}/);
    },
  },
  { name: "is this server behind", run: async ({ page }) => page.getByText(/up to date|behind/) },
  {
    name: "what changed in the last minute",
    run: async ({ page }) => page.locator(".stream li, main tr", { hasText: /ago/ }),
  },
];

try {
  console.log("| task | width | actions | answer from the top | above the fold |\n|---|---:|---:|---:|---|");
  for (const { name, run } of TASKS) {
    for (const viewport of FORMS) {
      const user = await Visit.start(browser, url, { viewport });
      await user.open("/");
      const person = new Person(user.page);
      const found = run(person).then(async (answer) => {
        await answer.first().waitFor();
        return answer;
      });
      const line = await found.then(
        async (answer) => {
          const top = (await answer.first().boundingBox())!.y + (await user.page.evaluate(() => window.scrollY));
          return `${person.actions} | ${Math.round(top)} px | ${top < viewport.height ? "yes" : "no"}`;
        },
        () => `– | – | not there after ${person.actions} actions`,
      );
      console.log(`| ${name} | ${viewport.width} | ${line} |`);
      await user.end();
    }
  }
} finally {
  await browser.close();
  await devnet.stop();
}
