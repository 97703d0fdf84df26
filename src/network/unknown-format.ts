/** Blocks of a form that this Firn does not know: those of an upgrade that is newer than it, or of nobody. */
import { CodecError } from "../base/codec/error.ts";
import { causeOf } from "../base/errors/errors.ts";
import { UPGRADE_NAMES } from "./network.ts";

/** Whether bytes have a type or a codec version that this Firn does not know. */
export function isUnknownFormat(error: unknown): boolean {
  const kind = causeOf(error, CodecError)?.kind;
  return kind === "unknown-type" || kind === "version";
}

/** What to do about an error, as the end of a sentence; empty if the format is known. */
export function unknownFormatAdvice(error: unknown): string {
  const cause = causeOf(error, CodecError);
  if (cause === undefined || !isUnknownFormat(cause)) return "";
  const { typeId, read } = cause.facts as { typeId?: number; read?: number | bigint };
  const what = cause.kind === "version" ? `codec version ${read}` : `the type ID ${typeId}`;
  const last = UPGRADE_NAMES.at(-1)!;
  const newest = last[0]!.toUpperCase() + last.slice(1);
  return `; it has ${what}, and the newest upgrade that this Firn knows is ${newest}: if the network has a later one, install a Firn that knows that, which continues with this store`;
}
