/** A lock with two kinds of entry: many requests to the child at once, or one round alone, which seals a block until it is committed. */
export class Gate {
  #inside = 0;
  #closed: PromiseWithResolvers | undefined;
  #emptied: PromiseWithResolvers | undefined;

  get isClosed(): boolean {
    return this.#closed !== undefined;
  }

  async pass<T>(work: () => Promise<T>): Promise<T> {
    while (this.#closed !== undefined) await this.#closed.promise;
    this.#inside++;
    try {
      return await work();
    } finally {
      if (--this.#inside === 0) this.#emptied?.resolve();
    }
  }

  /** Resolves once nobody is inside. Closing a closed gate has no further effect. */
  async close(): Promise<void> {
    this.#closed ??= withResolvers();
    if (this.#inside === 0) return;
    this.#emptied ??= withResolvers();
    await this.#emptied.promise;
    this.#emptied = undefined;
  }

  open(): void {
    this.#closed?.resolve();
    this.#closed = undefined;
  }

  async opened(): Promise<void> {
    while (this.#closed !== undefined) await this.#closed.promise;
  }
}

interface PromiseWithResolvers {
  readonly promise: Promise<void>;
  resolve(): void;
}

function withResolvers(): PromiseWithResolvers {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
