interface Holder {
  readonly client: object;
}

/**
 * Limits the bytes that a process holds for its connections. Beyond the limit a connection must give up what it holds: the one that holds
 * most, of the client whose connections together hold most. A client that holds little is therefore not refused because others hold much.
 */
export class HeldBytes<H extends Holder> {
  readonly #limit: number;
  readonly #giveUp: (holder: H) => void;
  readonly #bytes = new Map<H, number>();
  #total = 0;

  /** @param giveUp frees what the holder holds; it is called after `release` */
  constructor(limit: number, giveUp: (holder: H) => void) {
    this.#limit = limit;
    this.#giveUp = giveUp;
  }

  /** In bytes. */
  get total(): number {
    return this.#total;
  }

  hold(holder: H, bytes: number): void {
    if (bytes === 0) return;
    this.#bytes.set(holder, (this.#bytes.get(holder) ?? 0) + bytes);
    this.#total += bytes;
    while (this.#total > this.#limit) {
      const largest = this.#largest();
      this.release(largest);
      this.#giveUp(largest);
    }
  }

  /** Releases everything that the holder holds. */
  release(holder: H): void {
    if (this.#total === 0) return;
    const bytes = this.#bytes.get(holder);
    if (bytes === undefined) return;
    this.#bytes.delete(holder);
    this.#total -= bytes;
  }

  #largest(): H {
    const ofClients = new Map<object, number>();
    for (const [{ client }, bytes] of this.#bytes) ofClients.set(client, (ofClients.get(client) ?? 0) + bytes);
    const [client] = [...ofClients].reduce((most, next) => (next[1] > most[1] ? next : most));
    const own = [...this.#bytes].filter(([holder]) => holder.client === client);
    return own.reduce((most, next) => (next[1] > most[1] ? next : most))[0];
  }
}
