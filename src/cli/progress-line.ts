/** Progress: on a terminal one line that updates itself, elsewhere log lines. */
import type { Logger } from "pino";
import { terminalLine } from "../base/text/terminal-text.ts";

const REFRESH_MS = 200;
const LOG_EVERY_MS = 10_000;

export interface ProgressPlace {
  readonly log: Logger;
  readonly terminal: { readonly isTTY?: boolean; readonly columns?: number; write(text: string): unknown };
}

export interface Shown {
  line(): string;
  readonly message: string;
  facts(): object;
}

export class ProgressLine {
  readonly #place: ProgressPlace;
  #shownAt = 0;

  constructor(place: ProgressPlace) {
    this.#place = place;
  }

  /** Shows it if the last one was long enough ago. */
  show({ line, message, facts }: Shown): void {
    const { log, terminal } = this.#place;
    const now = performance.now();
    if (now - this.#shownAt < (terminal.isTTY ? REFRESH_MS : LOG_EVERY_MS)) return;
    this.#shownAt = now;
    if (terminal.isTTY) terminal.write(`\r\u001b[2K${terminalLine(line()).slice(0, (terminal.columns ?? 80) - 1)}`);
    else log.info(facts(), message);
  }

  /** Clears the line on a terminal. */
  end(): void {
    if (this.#place.terminal.isTTY) this.#place.terminal.write("\r\u001b[2K");
  }
}
