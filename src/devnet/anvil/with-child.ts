import type { DevelopmentEvm } from "./development-evm.ts";
import { EvmDownError } from "./evm-error.ts";

/** Number of children tried for one block or one batch of transactions; the caller waits for them. */
const MOST_CHILDREN = 3;

/** Runs the work; if the child dies, tries it with the next one. Returns undefined if there is none. */
export async function withChild<T>(evm: DevelopmentEvm, work: () => Promise<T>): Promise<T | undefined> {
  for (let attempt = 1; attempt <= MOST_CHILDREN && (await evm.isReachable()); attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof EvmDownError)) throw error;
    }
  }
  return undefined;
}
