/**
 * Keeps a log readable when thousands of blocks arrive at once: the first few in a second get a line each, the others one line per chain.
 */
import { type BlockLine, type BlockRun, isBlockLine, type LineStyle, type LogLine } from "./devnet-line.ts";

const LINES_PER_SECOND = 20;
const SECOND_MS = 1000;

export class BlockBursts {
  readonly #style: LineStyle;
  readonly #write: (text: string) => void;
  readonly #runs = new Map<string, BlockRun>();
  #lines = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(style: LineStyle, write: (text: string) => void) {
    this.#style = style;
    this.#write = write;
  }

  line(line: LogLine): void {
    if (isBlockLine(line) && this.#isBurst()) this.#addToRun(line);
    else {
      this.#tellRuns();
      this.#write(this.#style.line(line));
    }
  }

  #isBurst(): boolean {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#lines = 0;
      this.#tellRuns();
    }, SECOND_MS).unref();
    return ++this.#lines > LINES_PER_SECOND;
  }

  #addToRun({ chain, height, kinds }: BlockLine): void {
    const { first, blocks, transactions } = this.#runs.get(chain) ?? { first: height, blocks: 0, transactions: 0 };
    this.#runs.set(chain, { chain, first, last: height, blocks: blocks + 1, transactions: transactions + kinds.length });
  }

  #tellRuns(): void {
    for (const run of this.#runs.values()) this.#write(this.#style.run(run, Date.now()));
    this.#runs.clear();
  }
}
