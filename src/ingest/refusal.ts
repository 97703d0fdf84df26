import { RuleError } from "../network/execution.ts";
import { formatId } from "../primitives/cb58.ts";
import { FirnError } from "../primitives/errors.ts";
import type { Id } from "../primitives/id.ts";
import { NotPrefetchedError } from "../primitives/view.ts";

/** A block, vertex or operation of the source that cannot be executed; the store stays at what came before it. */
export class RefusedError extends FirnError {}

interface Refused {
  readonly chain?: string;
  readonly chainId?: Id;
  readonly height?: bigint;
  readonly id?: Id;
  readonly origin?: string;
}

/** Names chain, block, transaction and rule. What is no error of the input is passed on as it is. */
export function refusal(error: unknown, { chain, chainId, height, id, origin }: Refused): unknown {
  if (!(error instanceof FirnError) || error instanceof NotPrefetchedError) return error;
  const rule = error instanceof RuleError ? error : undefined;
  const where = [
    `chain ${chain ?? (chainId === undefined ? "?" : formatId(chainId))}`,
    height !== undefined && `block ${height}`,
    id !== undefined && formatId(id),
    rule?.txId !== undefined && `transaction ${formatId(rule.txId)}`,
    origin,
  ];
  const facts = { chain, height: height?.toString(), blockId: id, txId: rule?.txId, rule: error.code };
  return new RefusedError("block-refused", `${where.filter(Boolean).join(", ")}: ${error.message} (rule ${error.code})`, facts, {
    cause: error,
  });
}
