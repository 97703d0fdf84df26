import type { Session } from "./connection.ts";

/** One session, which is opened when it is first needed, and again when its connection was lost. */
export class KeptSession {
  readonly #open: () => Promise<Session>;
  #session: Promise<Session | undefined> = Promise.resolve(undefined);

  constructor(open: () => Promise<Session>) {
    this.#open = open;
  }

  get(): Promise<Session> {
    const session = this.#session
      .catch(() => undefined)
      .then((before) => (before === undefined || before.isBroken ? this.#open() : before));
    this.#session = session;
    return session;
  }

  async close(): Promise<void> {
    const session = await this.#session.catch(() => undefined);
    await session?.close();
  }
}
