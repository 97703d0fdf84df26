/** The one field that finds everything. `/` moves the cursor there. */
import { useEffect, useRef, useState } from "preact/hooks";
import { to } from "../router.ts";

export function SearchBox() {
  const field = useRef<HTMLInputElement>(null);
  const [text, setText] = useState("");
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const { tagName, isContentEditable } = event.target as HTMLElement;
      if (event.key !== "/" || event.ctrlKey || event.metaKey || isContentEditable || /INPUT|TEXTAREA|SELECT/.test(tagName)) return;
      event.preventDefault();
      field.current?.focus();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, []);
  const search = (event: Event) => {
    event.preventDefault();
    if (text.trim() !== "") location.hash = to.search(text.trim()).slice(1);
  };
  return (
    <search>
      <form onSubmit={search} class="search">
        <input
          ref={field}
          type="search"
          aria-label="Search"
          placeholder="Address, transaction, block, node, token …"
          spellcheck={false}
          autocomplete="off"
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
        <button type="submit">Search</button>
      </form>
    </search>
  );
}
