/** Where programs reach this server. */
import { useState } from "preact/hooks";
import { API_BASE } from "../../api/client.ts";
import type { Overview } from "../../api/overview.ts";
import { Copy } from "../../components/id.tsx";
import { addToWallet, hasWallet } from "./wallet.ts";

export function Endpoints({ of: { chains, evmChains, isDevnet } }: { readonly of: Overview }) {
  const urls: [name: string, url: string][] = [
    ...evmChains.flatMap(({ evmChainId, blockchainId, name }): [string, string][] =>
      isDevnet && blockchainId !== undefined ? [[`${name} (chain ID ${evmChainId})`, rpcUrl(blockchainId, chains)]] : [],
    ),
    ...chains.filter(({ alias }) => alias !== "C").map(({ alias }): [string, string] => [`${alias}-chain`, `${API_BASE}ext/bc/${alias}`]),
    ["Data API", `${API_BASE}v1`],
    ...(isDevnet ? ([["Development", `${API_BASE}ext/firn`]] as [string, string][]) : []),
  ];
  return (
    <section class="card">
      <h2>Endpoints</h2>
      <ul class="plain-list">
        {urls.map(([name, url]) => (
          <li key={url} class="row">
            <span>{name}</span>
            <span>
              <code>{url}</code>
              <Copy text={url} name={`the address of ${name}`} />
            </span>
          </li>
        ))}
      </ul>
      {isDevnet && hasWallet() && <WalletButtons of={evmChains} rpcOf={(id) => rpcUrl(id, chains)} />}
    </section>
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
