import { formatId } from "../base/bytes/cb58.ts";
import type { Id } from "../base/bytes/id.ts";
import { FirnError } from "../base/errors/errors.ts";
import { NotPrefetchedError } from "../base/table/view.ts";
import { RuleError } from "../network/execution.ts";
import { unknownFormatAdvice } from "../network/unknown-format.ts";

/** A block, vertex or operation of the source cannot be executed. The store keeps the state before it. */
export class RefusedError extends FirnError {}

export interface Refused {
  readonly chain?: string;
  readonly chainId?: Id;
  readonly height?: bigint;
  readonly id?: Id;
  readonly origin?: string;
  /** what has not come yet */
  readonly waitsFor?: string;
}

/** Makes an error that names chain, block, transaction and rule. Errors that the input did not cause are returned unchanged. */
export function refusal(error: unknown, { chain, chainId, height, id, origin, waitsFor }: Refused): unknown {
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
  const text = `${where.filter(Boolean).join(", ")}: ${error.message} (rule ${error.code})${unknownFormatAdvice(error)}`;
  const message = waitsFor === undefined ? text : `${text}; it waits for ${waitsFor}`;
  return new RefusedError("block-refused", message, facts, { cause: error });
}
