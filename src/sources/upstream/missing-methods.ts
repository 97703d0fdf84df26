/** Methods that an upstream does not have. It may have them later: it was starting, or is started with other APIs. */
import type { RpcCall } from "./upstream-rpc.ts";

const FIRST_MISSING_MS = 500;
const LONGEST_MISSING_MS = 30_000;

export class MissingMethods {
  /** with their paths */
  readonly #missing = new Map<string, { readonly times: number; readonly until: number }>();

  has(call: RpcCall): boolean {
    return performance.now() < (this.#missing.get(nameOf(call))?.until ?? 0);
  }

  learn(call: RpcCall, isThere: boolean): void {
    const name = nameOf(call);
    if (isThere) {
      this.#missing.delete(name);
      return;
    }
    const times = (this.#missing.get(name)?.times ?? 0) + 1;
    this.#missing.set(name, { times, until: performance.now() + Math.min(LONGEST_MISSING_MS, FIRST_MISSING_MS * 2 ** times) });
  }
}

function nameOf({ path = "", method }: RpcCall): string {
  return `${path} ${method}`;
}
