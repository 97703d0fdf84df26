/**
 * `npm run explorer:pictures -- [--out FOLDER] [--only TEXT] [--readme]`: takes pictures of every screen on a busy local network, in light and
 * dark colours and as wide as a phone, so that somebody looks at them. `--readme` takes the two pictures of the README.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { Visit, type VisitOptions } from "./browser.ts";
import { buildExplorer } from "./build.ts";
import { type BusyDevnet, startBusyDevnet } from "./busy-devnet.ts";
import { hasBrowser, skipReason, startBrowser } from "./chromium.ts";
import { walk } from "./walk.ts";

const FORMS: readonly (VisitOptions & { readonly form: string })[] = [
  { form: "light" },
  { form: "dark", colorScheme: "dark" },
  { form: "phone", viewport: { width: 360, height: 740 }, deviceScaleFactor: 2 },
];
const IMAGES = fileURLToPath(new URL("../../docs/images/", import.meta.url));

const { values } = parseArgs({
  options: { out: { type: "string", default: "explorer-pictures" }, only: { type: "string", default: "" }, readme: { type: "boolean" } },
});
if (!hasBrowser) throw new Error(skipReason.trim());
await buildExplorer();
const browser = await startBrowser();
const devnet = await startBusyDevnet();
try {
  if (values.readme) await takeReadme(devnet);
  else await takeAll(devnet);
} finally {
  await browser.close();
  await devnet.stop();
}

async function takeAll({ url, contracts, failed, hostile }: BusyDevnet): Promise<void> {
  mkdirSync(values.out, { recursive: true });
  const user = await Visit.start(browser, url);
  const tokens = [contracts.coin, contracts.nft, hostile[0]].map((token) => `/evm/43112/token/${token}`);
  const from = ["/", "/devnet", "/operator", "/evm/43112/tokens", `/evm/43112/tx/${failed}`, ...tokens, "/search/ewoq", "/P/tx/none"];
  const { screens } = await walk(user, { perScreen: 1, barriersOf: 0, from: [...from, "/validators", "/l1s", "/subnets"] });
  await user.end();
  for (const { form, ...options } of FORMS) {
    const looker = await Visit.start(browser, url, options);
    for (const [screen, [path]] of screens) {
      if (!screen.includes(values.only)) continue;
      const page = await looker.open(path!);
      await page.screenshot({
        path: join(values.out, `${screen.slice(1).replaceAll("/", "-").replaceAll(":", "x") || "home"}.${form}.png`),
        fullPage: true,
      });
    }
    await looker.end();
  }
  console.log(`${screens.size} screens are in ${values.out}`);
}

async function takeReadme({ url }: BusyDevnet): Promise<void> {
  mkdirSync(IMAGES, { recursive: true });
  const user = await Visit.start(browser, url, { viewport: { width: 1180, height: 860 } });
  await user.open("/");
  await user.page.screenshot({ path: join(IMAGES, "explorer-home.png") });
  // the newest one converted a subnet to an L1
  await user.open("/P/txs");
  await user.page.locator("main a[href^='#/P/tx/']").first().click();
  await user.settled();
  await user.page.screenshot({ path: join(IMAGES, "explorer-transaction.png") });
  await user.end();
}
