/** What the values of all layers but the oldest begin with. A removed row hides those of older layers; its value is the mark alone. */
import { type EncodedRows, REMOVED as WITHOUT_VALUE } from "../encoded-rows.ts";

export const REMOVED = 0;
export const PRESENT = 1;

/** The same rows with the mark before each value. */
export function markedRows({ bytes, start, ends }: EncodedRows): EncodedRows {
  const rows = ends.length / 2;
  const marked = Buffer.allocUnsafe(bytes.length - start + rows);
  const markedEnds = new Array<number>(ends.length);
  let from = start;
  let to = 0;
  for (let row = 0; row < ends.length; row += 2) {
    const keyEnd = ends[row]!;
    const valueEnd = ends[row + 1]!;
    while (from < keyEnd) marked[to++] = bytes[from++]!;
    markedEnds[row] = to;
    markedEnds[row + 1] = WITHOUT_VALUE;
    if (valueEnd === WITHOUT_VALUE) continue;
    marked[to++] = PRESENT;
    marked.set(bytes.subarray(from, valueEnd), to);
    to += valueEnd - from;
    from = valueEnd;
    markedEnds[row + 1] = to;
  }
  return { bytes: marked, start: 0, ends: markedEnds };
}
