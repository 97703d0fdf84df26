/**
 * A real browser that looks at the explorer. It notes what a user would not see: errors in the console, requests to other hosts, and what
 * axe finds. Without Chromium the tests that need it are skipped, with a sentence.
 */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll } from "vitest";
import { buildExplorer } from "./build.ts";
import { hasBrowser, startBrowser } from "./chromium.ts";

const PATIENCE_MS = 200_000;

/** One browser for the tests of a file. */
export function useBrowser(): { visit(serverUrl: string, options?: VisitOptions): Promise<Visit> } {
  let browser: Browser | undefined;
  beforeAll(async () => {
    if (!hasBrowser) return;
    await buildExplorer();
    browser = await startBrowser();
  });
  afterAll(() => browser?.close());
  return { visit: (serverUrl, options) => Visit.start(browser!, serverUrl, options) };
}

export interface VisitOptions extends BrowserContextOptions {
  /** problems that belong to the test; each is a part of a message in the console */
  readonly expected?: readonly string[];
}

/** A user with an empty browser. */
export class Visit {
  readonly page: Page;
  /** everything that went wrong so far */
  readonly problems: string[] = [];
  /** of every request */
  readonly urls: string[] = [];
  readonly #context: BrowserContext;
  readonly #serverUrl: string;

  private constructor(context: BrowserContext, page: Page, serverUrl: string, expected: readonly string[]) {
    this.#context = context;
    this.#serverUrl = serverUrl.replace(/\/$/, "");
    this.page = page;
    const note = (problem: string) => {
      if (!expected.some((part) => problem.includes(part))) this.problems.push(problem);
    };
    page.on("console", (message) => {
      if (message.type() === "error" || message.type() === "warning") note(`${message.text()} ${message.location().url}`);
    });
    page.on("pageerror", (error) => note(error.message));
    page.on("request", (request) => {
      this.urls.push(request.url());
      const isOwn = request.url().startsWith(`${new URL(serverUrl).origin}/`) || /^(?:data|blob):/.test(request.url());
      if (!isOwn) note(`asked another host: ${request.url()}`);
    });
  }

  static async start(browser: Browser, serverUrl: string, { expected = [], ...options }: VisitOptions = {}): Promise<Visit> {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
    // against hanging only, as vitest's own
    context.setDefaultTimeout(PATIENCE_MS);
    return new Visit(context, await context.newPage(), serverUrl, expected);
  }

  /** Opens a path of the explorer, such as `/P/tx/…`, and waits until everything on it is there. */
  async open(path: string): Promise<Page> {
    await this.page.goto(`${this.#serverUrl}/#${path}`);
    // the same document: only its hash differs, so the load event does not come
    await this.settled();
    return this.page;
  }

  /** Waits until nothing is being loaded. */
  async settled(): Promise<void> {
    await this.page.waitForFunction(() => document.querySelector("h1") !== null && document.querySelector(".loading") === null);
  }

  /** Text of the screen, with single spaces. */
  async text(selector = "main"): Promise<string> {
    // biome-ignore lint/performance/useDomNodeTextContent: what is hidden is not on the screen
    return (await this.page.locator(selector).first().innerText()).replace(/\s+/g, " ").trim();
  }

  /** What axe finds to be serious or critical, and what goes beyond the width of the screen. */
  async barriers(): Promise<string[]> {
    await this.page.evaluate(axeSource());
    const found = await this.page.evaluate(async () => {
      const { violations } = await (globalThis as unknown as Axe).axe.run(document, {
        runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"],
      });
      return violations.map(({ id, impact, nodes }) => ({ id, impact, where: nodes.map(({ html }) => html.slice(0, 200)) }));
    });
    const serious = found.filter(({ impact }) => impact === "serious" || impact === "critical");
    const { scroll, inner } = await this.page.evaluate(() => ({ scroll: document.documentElement.scrollWidth, inner: innerWidth }));
    return [
      ...serious.map(({ id, impact, where }) => `${impact}: ${id} at ${where.join(" ; ")}`),
      ...(scroll > inner ? [`${scroll - inner} px beyond the width of ${inner} px`] : []),
    ];
  }

  async end(): Promise<void> {
    await this.#context.close();
  }
}

interface Axe {
  readonly axe: {
    run(of: Document, options: object): Promise<{ violations: { id: string; impact: string | null; nodes: { html: string }[] }[] }>;
  };
}

let axe: string | undefined;
function axeSource(): string {
  axe ??= readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
  return axe;
}
