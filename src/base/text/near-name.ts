/** Names that somebody may have meant by a mistyped one. */
import leven from "leven";

const MOST_EDITS = 3;
/** share of a name's letters that must be right */
const LEAST_ALIKE = 0.5;

/** The known name that is most like the given one; letters alone count, in any case. undefined: none is alike. */
export function nearName(given: string, known: readonly string[]): string | undefined {
  const typed = lettersOf(given.slice(0, LONGEST));
  const candidates = known.map((name) => ({
    name,
    edits: leven(typed, lettersOf(name)),
    length: Math.max(typed.length, lettersOf(name).length),
  }));
  const alike = candidates.filter(({ edits, length }) => edits <= MOST_EDITS && (length - edits) / length > LEAST_ALIKE);
  return alike.sort((a, b) => a.edits - b.edits)[0]?.name;
}

/** A question behind a sentence that refuses a name; empty if no known one is like it. */
export function didYouMean(given: string, known: readonly string[]): string {
  const near = nearName(given, known);
  return near === undefined ? "" : `; did you mean ${near}?`;
}

/** Longer ones are nobody's typing errors. */
const LONGEST = 100;

function lettersOf(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, "");
}
