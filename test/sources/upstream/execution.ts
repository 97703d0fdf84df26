/** How far a C-chain since Helicon has executed and settled the blocks that it accepted. It goes on when the test says so. */

/** what the real network mostly shows at least */
const USUAL_LAG = 2;

export class Execution {
  #executed: number;
  #settled: number;
  readonly #waiting = new Set<{ readonly height: number; readonly resume: () => void }>();

  constructor(executed: number) {
    this.#executed = executed;
    this.#settled = Math.max(0, executed - USUAL_LAG);
  }

  /** `latest` */
  get executed(): number {
    return this.#executed;
  }

  /** `safe`, `finalized` */
  get settled(): number {
    return this.#settled;
  }

  to(executed: number, settled = Math.max(this.#settled, executed - USUAL_LAG)): void {
    [this.#executed, this.#settled] = [executed, settled];
    for (const each of [...this.#waiting]) {
      if (each.height > executed) continue;
      this.#waiting.delete(each);
      each.resume();
    }
  }

  /** Resolves when the block is executed, as the node's answers about what a block did. */
  async until(height: number): Promise<void> {
    if (height > this.#executed) await new Promise<void>((resume) => this.#waiting.add({ height, resume }));
  }
}

/** What the state of a block is not told before. */
export const notAccepted = (height: number) => `block not found: not accepted yet: block ${height}`;
