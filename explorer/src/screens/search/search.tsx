/** What a text names. If that is one thing, the search goes there. One request. */
import { useEffect } from "preact/hooks";
import { useLocation } from "wouter-preact";
import type { components } from "../../api/data-api.d.ts";
import { useOverview } from "../../api/overview.ts";
import { useAnswer } from "../../api/queries.ts";
import { count } from "../../components/amount.tsx";
import { ChainName } from "../../components/chain-name.tsx";
import { ChainText } from "../../components/chain-text.tsx";
import { Id } from "../../components/id.tsx";
import type { Params } from "../../components/screen.tsx";
import { Answer } from "../../components/states.tsx";
import { type Column, Table } from "../../components/table.tsx";
import { Title } from "../../components/title.tsx";
import { cleaned, queryIn, selectorIn } from "./query.ts";
import { merged, nameOfKind, pathOf, type SearchResult, withAddress } from "./results.ts";
import { useNamed, useSearch } from "./use-search.ts";

export function Search({ params }: { readonly params: Params }) {
  const query = cleaned(queryIn(location.hash) ?? params.query!);
  const overview = useOverview();
  const found = useSearch(query);
  return (
    <>
      <Title text={`Search: ${query}`}>
        Search for <ChainText text={query} longest={100} />
      </Title>
      <Answer of={overview}>
        {({ hrp, chains }) => (
          <Answer of={found}>{(answer) => <Found answer={answer} query={query} hrp={chains.length > 0 ? hrp : undefined} />}</Answer>
        )}
      </Answer>
    </>
  );
}

interface FoundProps {
  readonly answer: components["schemas"]["SearchResponse"];
  readonly query: string;
  readonly hrp: string | undefined;
}

function Found({ answer: { results, understoodAs, problems, forms = [] }, query, hrp }: FoundProps) {
  const [, navigate] = useLocation();
  const named = useNamed(query);
  const all = merged(named, withAddress(results, query, hrp));
  const only = all.length === 1 ? pathOf(all[0]!).slice(1) : undefined;
  useEffect(() => {
    // the search itself is no place to come back to
    if (only !== undefined) navigate(only, { replace: true });
  }, [only]);
  if (only !== undefined) return <p role="status">Found; it is being opened.</p>;
  return (
    <section class="card">
      <SelectorMeaning query={query} />
      {problems.map((problem) => (
        <p key={problem} class="notice">
          {problem}.
        </p>
      ))}
      {all.length > 0 ? (
        <>
          <h2>{all.length} results</h2>
          <p class="quiet">Anybody can give a token, an asset or a blockchain any name: compare the ID.</p>
          <Table label="Results" columns={COLUMNS} items={all} keyOf={pathOf} />
        </>
      ) : (
        <>
          <h2>Nothing was found</h2>
          {understoodAs.length > 0 && <p>The text was read as {understoodAs.join(", as ")}.</p>}
          <h3>What can be searched for</h3>
          <ul>
            {forms.map((form) => (
              <li key={form}>{form}</li>
            ))}
          </ul>
          <p class="quiet">Only what this server has indexed is found.</p>
        </>
      )}
    </section>
  );
}

/** What the four bytes of a selector call, as far as it is known without an ABI. The names are loaded when they are asked for. */
function SelectorMeaning({ query }: { readonly query: string }) {
  const selector = selectorIn(query);
  const { data: meaning } = useAnswer(
    ["selector", selector],
    async () => (await import("../evm/abi/decode.ts")).signatureOfSelector(selector!) ?? "",
    { isWanted: selector !== undefined },
  );
  if (!meaning) return null;
  return (
    <p>
      As a selector it names <code>{meaning}</code>.
    </p>
  );
}

const COLUMNS: readonly Column<SearchResult>[] = [
  { name: "What", cell: (result) => <a href={pathOf(result)}>{nameOfKind(result)}</a> },
  {
    name: "Where",
    cell: ({ chain, evmChainId, blockNumber }) => (
      <>
        {evmChainId !== undefined ? <ChainName alias={evmChainId} /> : chain !== undefined && <ChainName alias={chain} />}
        {blockNumber !== undefined && <div>height {count(blockNumber)}</div>}
      </>
    ),
  },
  {
    name: "Name",
    cell: ({ name, symbol, hint }) => (
      <>
        {name !== undefined && <ChainText text={name} longest={60} />} {symbol !== undefined && <ChainText text={symbol} longest={24} />}
        {hint !== undefined && (
          <div class="quiet">
            <ChainText text={hint} longest={120} />
          </div>
        )}
      </>
    ),
  },
  { name: "ID", cell: (result) => <Id value={result.id} href={pathOf(result)} hasCopy /> },
];
