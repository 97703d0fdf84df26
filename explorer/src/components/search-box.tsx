/** The one field that finds everything. `/` moves the cursor there, Enter searches; nothing is asked while somebody types. */
import { useEffect, useRef, useState } from "preact/hooks";
import { useLocation } from "wouter-preact";
import { to } from "../router.ts";
import { cleaned, queryIn } from "../screens/search/query.ts";

export function SearchBox() {
  const field = useRef<HTMLInputElement>(null);
  const [path] = useLocation();
  const [text, setText] = useState("");
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const { tagName, isContentEditable } = event.target as HTMLElement;
      if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey) return;
      if (isContentEditable || /INPUT|TEXTAREA|SELECT/.test(tagName) || document.querySelector("dialog[open]") !== null) return;
      event.preventDefault();
      field.current?.select();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, []);
  useEffect(() => {
    const query = queryIn(location.hash);
    if (query !== undefined) setText(query);
  }, [path]);
  const search = (event: Event) => {
    event.preventDefault();
    const query = cleaned(text);
    if (query !== "") location.hash = to.search(query).slice(1);
  };
  return (
    <search>
      <form onSubmit={search} class="search">
        <input
          ref={field}
          type="search"
          aria-label="Search"
          aria-keyshortcuts="/"
          placeholder="Address, transaction, block, node, token …"
          spellcheck={false}
          autocomplete="off"
          autocapitalize="off"
          enterkeyhint="search"
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
        <button type="submit">Search</button>
      </form>
    </search>
  );
}
