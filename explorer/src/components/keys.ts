/** Keys for the whole page: `j` and `k` go down and up through the rows of a list, to the link of the next one. */
import { useEffect } from "preact/hooks";

const ROWS = ".table tbody tr, .stream > li, .plain-list > li";

function step(by: 1 | -1): void {
  const rows = [...document.querySelectorAll(ROWS)].filter((row) => row.querySelector("a") !== null);
  const at = rows.findIndex((row) => row.contains(document.activeElement));
  const next = rows[at === -1 ? (by === 1 ? 0 : rows.length - 1) : at + by];
  // in the stream the link of a row itself is its last one
  const link = next?.querySelector<HTMLElement>("a.when") ?? next?.querySelector<HTMLElement>("a");
  link?.focus();
  next?.scrollIntoView({ block: "nearest" });
}

export function useRowKeys(): void {
  useKey("j", () => step(1));
  useKey("k", () => step(-1));
}

/** Runs when the key is pressed where nobody types. */
export function useKey(key: string, run: () => void): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const { tagName, isContentEditable } = event.target as HTMLElement;
      if (event.key !== key || event.ctrlKey || event.metaKey || event.altKey) return;
      if (isContentEditable || /INPUT|TEXTAREA|SELECT/.test(tagName) || document.querySelector("dialog[open]") !== null) return;
      event.preventDefault();
      run();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, []);
}
