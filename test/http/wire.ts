/** A connection without a network: `server.emit("connection", wire)`. What is pushed the server reads. */
import { Duplex } from "node:stream";

export class Wire extends Duplex {
  readonly remoteAddress = "127.0.0.1";
  received = "";
  hasEnded = false;
  /** whether what the server writes from now on is not taken, until `letGo` */
  isHeld = false;
  /** what the server set last, in milliseconds */
  timeoutMs = 0;
  #taken: (() => void) | undefined;

  constructor() {
    super({ allowHalfOpen: true });
    this.on("error", () => {});
  }

  override _read(): void {}

  override _write(bytes: Buffer, _: BufferEncoding, done: () => void): void {
    this.received += bytes.toString("latin1");
    if (this.isHeld) this.#taken = done;
    else done();
  }

  letGo(): void {
    this.isHeld = false;
    this.#taken?.();
    this.#taken = undefined;
  }

  override _final(done: () => void): void {
    this.hasEnded = true;
    done();
  }

  override _destroy(_: Error | null, done: () => void): void {
    this.hasEnded = true;
    done();
  }

  setTimeout(milliseconds: number): this {
    this.timeoutMs = milliseconds;
    return this;
  }

  setNoDelay(): this {
    return this;
  }

  setKeepAlive(): this {
    return this;
  }
}
