/** Which EVM chains an account is looked up on. One request: the chains that it was active on; and one more for a chain that is in no list. */
import type { ComponentChildren } from "preact";
import { answerOf, data } from "../../api/client.ts";
import type { components } from "../../api/data-api.d.ts";
import type { Overview } from "../../api/overview.ts";
import { useAnswer } from "../../api/queries.ts";
import { spelled } from "../../components/chain-text.tsx";
import { Answer } from "../../components/states.tsx";
import { to } from "../../router.ts";

export interface AccountChain {
  readonly evmChainId: string;
  readonly blockchainId: string | undefined;
  readonly name: string;
  /** of its coin */
  readonly symbol: string;
  readonly decimals: number;
  /** of its newest block; undefined: not known here */
  readonly height: string | undefined;
  /** whether pictures of NFTs are fetched */
  readonly nftPictures: boolean;
  /** the account took part in a transaction there */
  readonly isActive: boolean;
}

function ofInfo({ chainId, platformChainId, chainName, networkToken: { symbol, decimals } }: components["schemas"]["ChainInfo"]) {
  return { evmChainId: chainId, blockchainId: platformChainId, name: chainName, symbol, decimals, height: undefined, nftPictures: false };
}

/**
 * The chain of the path first, then those on which the account was active, then the others, on which it may have a balance from genesis or from
 * calls of contracts.
 */
export function useAccountChains(address: string, { evmChains }: Overview, chainId: string | undefined) {
  const isListed = chainId === undefined || evmChains.some(({ evmChainId }) => evmChainId === chainId);
  return useAnswer(
    ["chains of account", address, isListed ? undefined : chainId],
    async (): Promise<readonly AccountChain[]> => {
      const [{ indexedChains: active }, named] = await Promise.all([
        answerOf(data.GET("/v1/address/{address}/chains", { params: { path: { address } } })),
        isListed ? undefined : answerOf(data.GET("/v1/chains/{chainId}", { params: { path: { chainId } } })),
      ]);
      const known = new Map<string, Omit<AccountChain, "isActive">>();
      for (const info of named === undefined ? active : [named, ...active]) known.set(info.chainId, ofInfo(info));
      for (const { evmChainId, blockchainId, name, symbol, decimals, height, nftPictures } of evmChains) {
        known.set(evmChainId, { evmChainId, blockchainId, name, symbol, decimals, height, nftPictures });
      }
      const isActive = new Set(active.map((info) => info.chainId));
      const rank = (id: string) => (id === chainId ? 0 : isActive.has(id) ? 1 : 2);
      return [...known.values()]
        .map((chain) => ({ ...chain, isActive: isActive.has(chain.evmChainId) }))
        .sort((a, b) => rank(a.evmChainId) - rank(b.evmChainId));
    },
    { follows: evmChains.map(({ evmChainId }) => evmChainId) },
  );
}

interface ChainPickerProps {
  readonly address: string;
  readonly overview: Overview;
  readonly chainId: string | undefined;
  /** last part of the path */
  readonly tab: string;
  children(chain: AccountChain): ComponentChildren;
}

/** Shows something of one chain, which can be chosen. */
export function ChainPicker({ address, overview, chainId, tab, children }: ChainPickerProps) {
  const chains = useAccountChains(address, overview, chainId);
  const choose = (id: string) => {
    location.hash = `${to.evmAddress(id, address)}/${tab}`.slice(1);
  };
  return (
    <Answer of={chains}>
      {(all) => (
        <>
          {all.length > 1 && (
            <p>
              <label>
                Chain{" "}
                <select value={all[0]!.evmChainId} onChange={({ currentTarget }) => choose(currentTarget.value)}>
                  {[...all]
                    .sort((a, b) => Number(a.evmChainId) - Number(b.evmChainId))
                    .map(({ evmChainId, name, isActive }) => (
                      <option key={evmChainId} value={evmChainId}>
                        {spelled(name.slice(0, 40))} ({evmChainId}){isActive ? "" : ", not active there"}
                      </option>
                    ))}
                </select>
              </label>
            </p>
          )}
          {children(all[0]!)}
        </>
      )}
    </Answer>
  );
}
