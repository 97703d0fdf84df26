/** Where programs reach this server. */
import { useState } from "preact/hooks";
import { API_BASE } from "../../api/client.ts";
import type { Overview } from "../../api/overview.ts";
import { Copy } from "../../components/id.tsx";
import { addToWallet, hasWallet } from "./wallet.ts";

type Endpoint = readonly [name: string, url: string];

export function Endpoints({ of: { chains, evmChains, isDevnet } }: { readonly of: Overview }) {
  // what contracts are deployed with comes first
  const first = evmChains.flatMap(({ evmChainId, blockchainId, name }): Endpoint[] =>
    isDevnet && blockchainId !== undefined ? [[`${name} (chain ID ${evmChainId})`, rpcUrl(blockchainId, chains)]] : [],
  );
  const others: Endpoint[] = [
    ...chains.filter(({ alias }) => alias !== "C").map(({ alias }): Endpoint => [`${alias}-chain`, `${API_BASE}ext/bc/${alias}`]),
    ["Data API", `${API_BASE}v1`],
    ...(isDevnet ? [["Development", `${API_BASE}ext/firn`] as const] : []),
  ];
  return (
    <section class="card endpoints">
      <h2>Endpoints</h2>
      {first.length === 0 ? (
        <Addresses of={others} />
      ) : (
        <>
          <Addresses of={first} />
          <details>
            <summary>P, X and the other interfaces</summary>
            <Addresses of={others} />
          </details>
        </>
      )}
      {isDevnet && hasWallet() && <WalletButtons of={evmChains} rpcOf={(id) => rpcUrl(id, chains)} />}
    </section>
  );
}

function Addresses({ of }: { readonly of: readonly Endpoint[] }) {
  return (
    <ul class="plain-list">
      {of.map(([name, url]) => (
        <li key={url} class="row">
          <span>{name}</span>
          <span>
            <code>{url}</code>
            <Copy text={url} name={`the address of ${name}`} />
          </span>
        </li>
      ))}
    </ul>
  );
}

/** The C-chain has an alias; other chains are named by their IDs. */
function rpcUrl(blockchainId: string, chains: Overview["chains"]): string {
  const isC = chains.some((chain) => chain.alias === "C" && chain.blockchainId === blockchainId);
  return `${API_BASE}ext/bc/${isC ? "C" : blockchainId}/rpc`;
}

function WalletButtons({ of: evmChains, rpcOf }: { of: Overview["evmChains"]; rpcOf(blockchainId: string): string }) {
  const [outcome, setOutcome] = useState("");
  const add = async ({ evmChainId, name, symbol, decimals, blockchainId }: Overview["evmChains"][number]) => {
    setOutcome(await addToWallet({ evmChainId, name, symbol, decimals, rpcUrl: rpcOf(blockchainId!) }));
  };
  return (
    <>
      <p class="actions">
        {evmChains
          .filter(({ blockchainId }) => blockchainId !== undefined)
          .map((chain) => (
            <button key={chain.evmChainId} type="button" onClick={() => add(chain)}>
              Add {chain.name} to wallet
            </button>
          ))}
      </p>
      <p role="status">{outcome}</p>
    </>
  );
}
