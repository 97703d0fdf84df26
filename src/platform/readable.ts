import { RuleError } from "../network/execution.ts";
import { CodecError } from "../primitives/codec/error.ts";
import { codecErrorText } from "../primitives/codec/error-text.ts";

// messages know no type that may stand in one place and not in another; a UTXO of another chain could hold one, but never did
const NO_NAMES = { typeName: String, interfaceName: String };

/** Parses bytes that a transaction carries: to the chain, unreadable ones are a broken rule, not a transaction that cannot be read. */
export function readable<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof CodecError)) throw error;
    throw new RuleError("unreadable-message", codecErrorText(error, NO_NAMES), error.facts, { cause: error });
  }
}
