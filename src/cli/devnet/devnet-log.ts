/**
 * The output of `firn devnet`. First comes everything that a person (or with --json a program) needs to use the network. Then comes a line
 * for each block, clock change, revert and restart of the C-chain's process.
 */
import { type Logger, pino } from "pino";
import { terminalText } from "../../base/text/terminal-text.ts";
import type { NetworkDescription } from "../../serve/local-network/describe.ts";
import type { Config } from "../config.ts";
import { BlockBursts } from "./block-bursts.ts";
import { type BannerOptions, devnetBanner } from "./devnet-banner.ts";
import { LineStyle } from "./devnet-line.ts";

interface DevnetLogOptions {
  readonly isJson: boolean;
  readonly level: Config["logLevel"];
  readonly output: { readonly isTTY?: boolean; write(text: string): unknown };
}

export class DevnetLog {
  readonly logger: Logger;
  readonly #options: DevnetLogOptions;
  /** lines from before the network was ready, which must come after the first line */
  #held: string[] | undefined = [];

  constructor(options: DevnetLogOptions) {
    this.#options = options;
    const { isJson, level, output } = options;
    const write = (text: string) => this.#write(text);
    const people = new BlockBursts(new LineStyle({ hasColors: output.isTTY === true }), write);
    const stream = isJson
      ? { write: (json: string) => write(terminalText(json)) }
      : { write: (json: string) => people.line(JSON.parse(json)) };
    this.logger = pino({ base: null, level, messageKey: "event" }, stream);
  }

  ready(description: NetworkDescription, options: BannerOptions): void {
    const { isJson, output } = this.#options;
    output.write(
      isJson ? `${terminalText(JSON.stringify({ event: "ready", ...description }))}\n` : terminalText(devnetBanner(description, options)),
    );
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const text of held) output.write(text);
  }

  #write(text: string): void {
    if (this.#held === undefined) this.#options.output.write(text);
    else this.#held.push(text);
  }
}
