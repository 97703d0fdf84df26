import { RuleError } from "./execution.ts";

/** Runs a check and puts the surroundings before the text of a rule that it finds broken, as the node words it: `prefix: text`. */
export function within<T>(prefix: string, check: () => T): T {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof RuleError)) throw error;
    throw new RuleError(error.code, `${prefix}: ${error.message}`, error.facts, { cause: error });
  }
}
