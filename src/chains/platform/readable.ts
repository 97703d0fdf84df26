import { CodecError } from "../../base/codec/error.ts";
import { codecErrorText } from "../../base/codec/error-text.ts";
import { RuleError } from "../../network/execution.ts";

// for error texts about misplaced types: messages have none; a UTXO exported by another chain could contain one, but never has
const NO_NAMES = { typeName: String, interfaceName: String };

/** Parses bytes that a transaction contains. If they cannot be parsed, the transaction breaks a rule; it is not itself unreadable. */
export function readable<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof CodecError)) throw error;
    throw new RuleError("unreadable-message", codecErrorText(error, NO_NAMES), error.facts, { cause: error });
  }
}
