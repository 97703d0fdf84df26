/** The source of a contract, and its code. */
import { count } from "../../components/amount.tsx";
import { ChainText, spelled } from "../../components/chain-text.tsx";
import { Fact, Facts } from "../../components/facts.tsx";
import { RawBytes } from "./decoded.tsx";
import type { Source } from "./source.ts";

const MATCHES = {
  full: "The code names the hash of these sources and of this ABI. Firn does not compile them.",
  code: "The code that runs is the build's. Only the build file says that these sources and this ABI belong to it.",
};

/** longer sources are cut: a page that nobody can scroll helps nobody */
const LONGEST_SOURCE = 400_000;

/** Invisible characters are spelled, since a source can hide what it does behind them. */
function written(source: string): string {
  return source
    .slice(0, LONGEST_SOURCE)
    .split(/(\r?\n|\t)/)
    .map((part, i) => (i % 2 === 0 ? spelled(part) : part))
    .join("");
}

export function ContractSource({ of: { code, build } }: { readonly of: Source }) {
  return (
    <section class="card">
      <h2>{build === undefined ? "Code" : "Source"}</h2>
      {build !== undefined && (
        <>
          <Facts>
            <Fact name="Contract">{build.contractName !== "" && <ChainText text={build.contractName} longest={200} />}</Fact>
            <Fact name="Compiler">{build.compiler !== "" && <ChainText text={build.compiler} longest={200} />}</Fact>
            <Fact name="Match">{MATCHES[build.match]}</Fact>
          </Facts>
          {build.sources.map(({ path, content }) => (
            <details key={path} open={path === build.sourcePath}>
              <summary>
                <ChainText text={path} longest={200} />
              </summary>
              {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
              <pre class="source" tabIndex={0}>
                {written(content)}
              </pre>
            </details>
          ))}
          {build.sources.length === 0 && (
            <p class="quiet">The build file has no sources. A build-info file has them: of Hardhat always, of Foundry with --build-info.</p>
          )}
        </>
      )}
      <details>
        <summary>Deployed code, {count((code.length - 2) / 2)} bytes</summary>
        <RawBytes hex={code} name="code" />
      </details>
    </section>
  );
}
