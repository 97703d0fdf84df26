/** A bounded number of sessions, handed out in the order in which they were asked for. */
import type { Session } from "./connection.ts";

export class SessionPool {
  readonly #open: () => Promise<Session>;
  readonly #most: number;
  readonly #idle: Session[] = [];
  readonly #waiting: (() => void)[] = [];
  #used = 0;
  #isClosed = false;

  constructor(open: () => Promise<Session>, most: number) {
    this.#open = open;
    this.#most = most;
  }

  /** sessions that are open or being opened */
  get size(): number {
    return this.#used + this.#idle.length;
  }

  async acquire(): Promise<Session> {
    while (this.#used >= this.#most) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#used++;
    try {
      for (let idle = this.#idle.pop(); idle !== undefined; idle = this.#idle.pop()) if (!idle.isBroken) return idle;
      return await this.#open();
    } catch (error) {
      this.#leave();
      throw error;
    }
  }

  release(session: Session): void {
    if (this.#isClosed) void session.close();
    else if (!session.isBroken) this.#idle.push(session);
    this.#leave();
  }

  #leave(): void {
    this.#used--;
    this.#waiting.shift()?.();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(this.#idle.splice(0).map((session) => session.close()));
  }
}
