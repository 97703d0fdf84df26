import { RuleError } from "./execution.ts";

/**
 * Runs a check and puts the surroundings before the text of a rule that it finds broken, as the node words it: `prefix: text`.
 * A prefix that costs time to write is a function.
 */
export function within<T>(prefix: string | (() => string), check: () => T): T {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof RuleError)) throw error;
    const text = typeof prefix === "string" ? prefix : prefix();
    throw new RuleError(error.code, `${text}: ${error.message}`, error.facts, { cause: error });
  }
}
