/**
 * The one field that finds everything. `/` moves the cursor there; while somebody pauses in typing it suggests what the text names, one request for
 * each pause. The arrow keys choose a suggestion, Enter opens it or searches, Escape closes the list.
 */
import { lazy, Suspense } from "preact/compat";
import { useEffect, useRef, useState } from "preact/hooks";
import { useLocation } from "wouter-preact";
import { to } from "../router.ts";
import { cleaned, queryIn } from "../screens/search/query.ts";
import { useKey } from "./keys.ts";

const PAUSE_MS = 250;
const SHORTEST = 2;
const NONE: readonly string[] = [];

/** Most pages are left without a search, so its code is loaded with the first letter. */
const Suggestions = lazy(() => import("../screens/search/suggestions.tsx").then(({ Suggestions: loaded }) => ({ default: loaded })));

/** The text as it was when its writer last paused. */
function usePaused(text: string): string {
  const [paused, setPaused] = useState("");
  useEffect(() => {
    const timer = setTimeout(() => setPaused(text), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return paused;
}

export function SearchBox() {
  const field = useRef<HTMLInputElement>(null);
  const [path] = useLocation();
  const [text, setText] = useState("");
  const [isOpen, setOpen] = useState(false);
  const [chosen, setChosen] = useState(-1);
  const paused = usePaused(text);
  // suggestions for what stood there before would be opened by mistake
  const wanted = isOpen && paused === text ? cleaned(text) : "";
  const isWanted = wanted.length >= SHORTEST;
  const [found, setFound] = useState(NONE);
  const shown = isWanted ? found : NONE;
  useKey("/", () => field.current?.select());
  useEffect(() => {
    const query = queryIn(location.hash);
    if (query !== undefined) setText(query);
  }, [path]);
  useEffect(() => setChosen(-1), [shown.join()]);
  const open = (hash: string) => {
    // the heading of what is opened gets the focus
    field.current?.blur();
    setOpen(false);
    location.hash = hash.slice(1);
  };
  const search = (event: Event) => {
    event.preventDefault();
    const query = cleaned(text);
    const suggestion = shown[chosen];
    if (suggestion !== undefined) open(suggestion);
    else if (query !== "") open(to.search(query));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Escape" && isOpen) setOpen(false);
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined || shown.length === 0) return;
    event.preventDefault();
    // one more place than suggestions: the text itself
    setChosen(((chosen + 1 + step + shown.length + 1) % (shown.length + 1)) - 1);
  };
  return (
    <search>
      <form onSubmit={search} class="search">
        <input
          ref={field}
          type="search"
          role="combobox"
          aria-label="Search"
          aria-keyshortcuts="/"
          aria-autocomplete="list"
          aria-expanded={shown.length > 0}
          aria-controls="suggestions"
          aria-activedescendant={chosen < 0 ? undefined : `suggestion-${chosen}`}
          placeholder="Address, transaction, block, node, token …"
          spellcheck={false}
          autocomplete="off"
          autocapitalize="off"
          enterkeyhint="search"
          value={text}
          onInput={({ currentTarget }) => {
            setText(currentTarget.value);
            setOpen(true);
          }}
          onKeyDown={onKeyDown}
          onBlur={() => setOpen(false)}
        />
        <button type="submit">Search</button>
        <div id="suggestions" role="listbox" aria-label="Suggestions" class="suggestions" hidden={shown.length === 0}>
          {isWanted && (
            <Suspense fallback={null}>
              <Suggestions query={wanted} chosen={chosen} onFound={setFound} onOpen={open} />
            </Suspense>
          )}
        </div>
      </form>
    </search>
  );
}
