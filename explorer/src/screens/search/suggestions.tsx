/** Rows of the search box's list: things that its text names. */
import { useEffect } from "preact/hooks";
import { ChainText } from "../../components/chain-text.tsx";
import { shortened } from "../../components/id.tsx";
import { merged, nameOfKind, pathOf, type SearchResult } from "./results.ts";
import { useNamed, useSearch } from "./use-search.ts";

const MOST = 8;

interface SuggestionsProps {
  readonly query: string;
  /** the index of the row that the arrow keys chose; -1: none */
  readonly chosen: number;
  /** gets the paths of the rows whenever they are others */
  onFound(paths: readonly string[]): void;
  onOpen(path: string): void;
}

export function Suggestions({ query, chosen, onFound, onOpen }: SuggestionsProps) {
  const named = useNamed(query);
  const { data } = useSearch(query, true);
  const suggestions = merged(named, data?.results ?? []).slice(0, MOST);
  const paths = suggestions.map(pathOf);
  useEffect(() => onFound(paths), [paths.join()]);
  // the rows of the text before are nobody's
  useEffect(() => () => onFound([]), []);
  return (
    <>
      {suggestions.map((suggestion, i) => (
        <div
          key={paths[i]}
          id={`suggestion-${i}`}
          role="option"
          tabIndex={-1}
          aria-selected={i === chosen}
          // before the field loses the focus
          onPointerDown={(event) => {
            event.preventDefault();
            onOpen(paths[i]!);
          }}
        >
          <SuggestionText of={suggestion} />
        </div>
      ))}
    </>
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
