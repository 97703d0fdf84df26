/** A readers–writer lock: any number share it, or one has it alone. Who waits to have it alone comes before those who would share it. */
export class ReadWriteLock {
  #sharing = 0;
  #locked: Signal | undefined;
  #emptied: Signal | undefined;

  get isLocked(): boolean {
    return this.#locked !== undefined;
  }

  async shared<R>(run: () => R | Promise<R>): Promise<R> {
    while (this.#locked !== undefined) await this.#locked.promise;
    this.#sharing++;
    try {
      return await run();
    } finally {
      if (--this.#sharing === 0) this.#emptied?.resolve();
    }
  }

  /** Runs when all who share it have ended, one after the other. */
  async alone<R>(run: () => R | Promise<R>): Promise<R> {
    while (this.#locked !== undefined) await this.#locked.promise;
    try {
      await this.lock();
      return await run();
    } finally {
      this.unlock();
    }
  }

  /** Resolves once nobody shares it, until `unlock`. Locking it again has no further effect. */
  async lock(): Promise<void> {
    this.#locked ??= signal();
    if (this.#sharing === 0) return;
    this.#emptied ??= signal();
    await this.#emptied.promise;
    this.#emptied = undefined;
  }

  unlock(): void {
    this.#locked?.resolve();
    this.#locked = undefined;
  }

  async unlocked(): Promise<void> {
    while (this.#locked !== undefined) await this.#locked.promise;
  }
}

interface Signal {
  readonly promise: Promise<void>;
  resolve(): void;
}

function signal(): Signal {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
