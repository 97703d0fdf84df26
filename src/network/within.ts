import { RuleError } from "./execution.ts";

/**
 * Runs a check; if it breaks a rule, prefixes the rule's text as the node does: `prefix: text`. An expensive prefix can be passed as a
 * function.
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
