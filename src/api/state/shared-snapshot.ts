import type { Store, StoreReader } from "../../store/store.ts";
import type { CommittedState } from "./committed-states.ts";

/** One snapshot of the store, open until its last user leaves. */
export class SharedSnapshot {
  readonly state: Promise<CommittedState>;
  /** the state once it is loaded */
  known: CommittedState | undefined;
  /** whoever opened it counts as the first user: the turn of the event loop, if it is shared */
  #users = 1;
  #close: () => void = () => {};

  constructor(store: Store, describe: (reader: StoreReader) => Promise<CommittedState>) {
    const closed = new Promise<void>((resolve) => {
      this.#close = resolve;
    });
    this.state = new Promise((resolve, reject) => {
      store
        .snapshot(async (reader) => {
          this.known = await describe(reader);
          resolve(this.known);
          await closed;
        }, closed)
        .catch(reject);
    });
    // Users of the state get the failure; without users it does not matter
    this.state.catch(() => {});
  }

  enter(): void {
    this.#users++;
  }

  leave(): void {
    if (--this.#users === 0) this.#close();
  }
}
