/** Lets many callers run at the same time, or one alone. */
export class Gate {
  #running = 0;
  #idle: (() => void) | undefined;
  #alone: Promise<unknown> | undefined;

  async shared<R>(run: () => Promise<R>): Promise<R> {
    while (this.#alone !== undefined) await this.#alone;
    this.#running++;
    try {
      return await run();
    } finally {
      if (--this.#running === 0) this.#idle?.();
    }
  }

  /** Begins when everybody who runs has ended; others wait until it has ended. */
  async alone<R>(run: () => R | Promise<R>): Promise<R> {
    while (this.#alone !== undefined) await this.#alone;
    let end = () => {};
    this.#alone = new Promise<void>((resolve) => {
      end = resolve;
    });
    try {
      if (this.#running > 0) {
        await new Promise<void>((resolve) => {
          this.#idle = resolve;
        });
      }
      return await run();
    } finally {
      this.#idle = undefined;
      this.#alone = undefined;
      end();
    }
  }
}
