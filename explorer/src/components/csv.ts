/** A table of the screen as CSV (RFC 4180): whole IDs and numbers, times in ISO 8601. */

/** A program for tables runs a text that begins like this as a formula. */
const FORMULA = /^[=+\-@\t\r]/;
const NUMBER = /^-?\d[\d,]*(?:\.\d+)?$/;

function field(text: string): string {
  const safe = FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** What a cell says: of a shortened ID all of it, of a number its digits without separators, of a time the time itself. */
function textOf(cell: Element): string {
  const copy = cell.cloneNode(true) as Element;
  for (const button of copy.querySelectorAll("button")) button.remove();
  for (const time of copy.querySelectorAll("time")) time.replaceWith(time.dateTime || time.textContent);
  for (const number of copy.querySelectorAll("data")) number.replaceWith(number.textContent.replaceAll(",", ""));
  for (const id of copy.querySelectorAll(".id [title]")) id.replaceWith(id.getAttribute("title")!);
  return copy.textContent.replace(/\s+/g, " ").trim();
}

export function csvOf(table: HTMLTableElement): string {
  const rows = [...table.rows].map((row) => [...row.cells].map((cell) => field(textOf(cell))).join(","));
  return `${rows.join("\r\n")}\r\n`;
}

/** Has the browser save a text as a file. */
export function save(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: "text/csv;charset=utf-8" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
