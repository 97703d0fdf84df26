/**
 * Walks the explorer like somebody who clicks on everything: from link to link, a few of each screen. On each screen it looks for what is wrong
 * whatever the screen shows: errors in the console, barriers, requests to other hosts, values that were never there, things that the API did
 * not say.
 */
import { decodeBech32 } from "../../src/base/bytes/bech32.ts";
import { decodeCb58, encodeCb58 } from "../../src/base/bytes/cb58.ts";
import type { Visit } from "./browser.ts";

export interface WalkOptions {
  /** visits of each screen */
  readonly perScreen?: number;
  /** paths to begin with */
  readonly from?: readonly string[];
  /** on how many visits of a screen axe looks at it */
  readonly barriersOf?: number;
  /** false: only the paths to begin with */
  readonly followsLinks?: boolean;
  readonly log?: (line: string) => void;
}

export interface Walked {
  /** paths by the screen that they lead to, such as `/P/tx/:` */
  readonly screens: ReadonlyMap<string, readonly string[]>;
  readonly problems: readonly string[];
}

const FROM = ["/", "/validators", "/l1s", "/subnets", "/operator", "/devnet"];
/** Texts that a screen never says on purpose. */
const SLIPS = /\bundefined\b|\bNaN\b|\[object Object\]|Invalid Date|This could not be read|Nothing here/;

export async function walk(
  user: Visit,
  { perScreen = 2, from = FROM, barriersOf = 1, followsLinks = true, log = () => {} }: WalkOptions = {},
): Promise<Walked> {
  const screens = new Map<string, string[]>();
  const problems: string[] = [];
  const waiting = [...from];
  const known = new Set(waiting);
  const said = new Answers(user);
  for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
    const screen = screenOf(path);
    const visited = screens.get(screen) ?? [];
    if (visited.length >= perScreen) continue;
    screens.set(screen, [...visited, path]);
    log(path);
    await user.open(path);
    const found = [...user.problems.splice(0), ...(await slips(user)), ...(await said.unsaid())];
    if (visited.length < barriersOf) found.push(...(await user.barriers()));
    problems.push(...found.map((problem) => `${path}: ${problem}`));
    for (const next of followsLinks ? await linksOf(user) : []) {
      if (known.has(next)) continue;
      known.add(next);
      waiting.push(next);
    }
  }
  return { screens, problems };
}

/** The path with its IDs left out: all paths of a screen have the same. */
export function screenOf(path: string): string {
  return path
    .split("/")
    .map((part, index) => (index > 1 && (part.length > 12 || /\d|%/.test(part)) ? ":" : part))
    .join("/");
}

async function slips(user: Visit): Promise<string[]> {
  const slip = SLIPS.exec(await user.text());
  return slip === null ? [] : [`says ${slip[0]}: ${(await user.text()).slice(Math.max(0, slip.index - 60), slip.index + 200)}`];
}

async function linksOf(user: Visit): Promise<string[]> {
  const links = await user.page.locator("a[href^='#/']").evaluateAll((all) => all.map((each) => each.getAttribute("href")!.slice(1)));
  return [...new Set(links)];
}

/** What the API has said to this user. IDs on a screen must come from there, or from the path. */
class Answers {
  readonly #user: Visit;
  readonly #texts = new Map<string, Promise<string>>();

  constructor(user: Visit) {
    this.#user = user;
    user.page.on("response", (response) => {
      if (/\/(?:v1|v2|ext)\//.test(response.url()))
        this.#texts.set(
          `${response.url()} ${response.request().postData()}`,
          response.text().catch(() => ""),
        );
    });
  }

  async unsaid(): Promise<string[]> {
    const shown = await this.#user.page
      .locator("main .id [title]")
      .evaluateAll((all) => all.map((each) => each.getAttribute("title") ?? ""));
    const said = `${(await Promise.all(this.#texts.values())).join("\n")}\n${decodeURIComponent(this.#user.page.url())}`.toLowerCase();
    // an address is the same with any chain before it; the words of calls and logs have addresses without 0x
    const bare = (id: string) => id.replace(/^[PXC]-/, "");
    const isSaid = (id: string) => [bare(id), ...otherForms(bare(id))].some((form) => said.includes(form.toLowerCase()));
    return [...new Set(shown)].filter((id) => id !== "" && !isSaid(id)).map((id) => `shows ${id}, which no answer has`);
  }
}

/** The same bytes as the node writes them in other places: hex in a message, cb58, or a list of numbers. */
function otherForms(id: string): string[] {
  const bytes = bytesOf(id);
  return bytes === undefined ? [] : [Buffer.from(bytes).toString("hex"), encodeCb58(bytes), [...bytes].join()];
}

function bytesOf(id: string): Uint8Array | undefined {
  try {
    if (/^0x([0-9a-f]{2})+$/i.test(id)) return Buffer.from(id.slice(2), "hex");
    return /^[a-z]+1[a-z0-9]+$/.test(id) ? decodeBech32(id).bytes : decodeCb58(id.replace(/^NodeID-/, ""));
  } catch {
    return undefined;
  }
}
