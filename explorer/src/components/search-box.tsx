/**
 * The one field that finds everything. `/` moves the cursor there; while somebody pauses in typing it suggests what the text names, one request for
 * each pause. The arrow keys choose a suggestion, Enter opens it or searches, Escape closes the list.
 */
import { useEffect, useRef, useState } from "preact/hooks";
import { useLocation } from "wouter-preact";
import { to } from "../router.ts";
import { cleaned, queryIn } from "../screens/search/query.ts";
import { merged, nameOfKind, pathOf, type SearchResult } from "../screens/search/results.ts";
import { useNamed, useSearch } from "../screens/search/use-search.ts";
import { ChainText } from "./chain-text.tsx";
import { shortened } from "./id.tsx";
import { useKey } from "./keys.ts";

const PAUSE_MS = 250;
const SHORTEST = 2;
const MOST = 8;

/** The text as it was when its writer last paused. */
function usePaused(text: string): string {
  const [paused, setPaused] = useState("");
  useEffect(() => {
    const timer = setTimeout(() => setPaused(text), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return paused;
}

/** @param query empty: nothing is wanted */
function useSuggestions(query: string): readonly SearchResult[] {
  const isWanted = query.length >= SHORTEST;
  const named = useNamed(isWanted ? query : "");
  const { data } = useSearch(query, isWanted);
  return isWanted ? merged(named, data?.results ?? []).slice(0, MOST) : [];
}

export function SearchBox() {
  const field = useRef<HTMLInputElement>(null);
  const [path] = useLocation();
  const [text, setText] = useState("");
  const [isOpen, setOpen] = useState(false);
  const [chosen, setChosen] = useState(-1);
  const paused = usePaused(text);
  // suggestions for what stood there before would be opened by mistake
  const suggestions = useSuggestions(isOpen && paused === text ? cleaned(text) : "");
  useKey("/", () => field.current?.select());
  useEffect(() => {
    const query = queryIn(location.hash);
    if (query !== undefined) setText(query);
  }, [path]);
  useEffect(() => setChosen(-1), [suggestions.map(pathOf).join()]);
  const shown = isOpen ? suggestions : [];
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
    if (suggestion !== undefined) open(pathOf(suggestion));
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
        <Suggestions of={shown} chosen={chosen} onOpen={(suggestion) => open(pathOf(suggestion))} />
      </form>
    </search>
  );
}

interface SuggestionsProps {
  readonly of: readonly SearchResult[];
  readonly chosen: number;
  onOpen(suggestion: SearchResult): void;
}

function Suggestions({ of, chosen, onOpen }: SuggestionsProps) {
  return (
    <div id="suggestions" role="listbox" aria-label="Suggestions" class="suggestions" hidden={of.length === 0}>
      {of.map((suggestion, i) => (
        <div
          key={pathOf(suggestion)}
          id={`suggestion-${i}`}
          role="option"
          tabIndex={-1}
          aria-selected={i === chosen}
          // before the field loses the focus
          onPointerDown={(event) => {
            event.preventDefault();
            onOpen(suggestion);
          }}
        >
          <SuggestionText of={suggestion} />
        </div>
      ))}
    </div>
  );
}

function SuggestionText({ of }: { readonly of: SearchResult }) {
  const { kind, chain, evmChainId, id, name, symbol, hint, blockNumber } = of;
  return (
    <>
      <span class="quiet">{nameOfKind({ kind })}</span>{" "}
      {blockNumber !== undefined ? (
        `${chain ?? `chain ${evmChainId}`} ${blockNumber}`
      ) : (
        <>
          {name !== undefined && <ChainText text={name} longest={40} />} {symbol !== undefined && <ChainText text={symbol} longest={24} />}{" "}
          <code>{shortened(id)}</code>
        </>
      )}{" "}
      {hint !== undefined && (
        <span class="quiet">
          <ChainText text={hint} longest={60} />
        </span>
      )}
    </>
  );
}
