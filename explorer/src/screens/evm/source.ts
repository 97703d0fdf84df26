/** Sources of contracts, as the server has them from build files. */
import { useEffect } from "preact/hooks";
import { answerOf, data } from "../../api/client.ts";
import type { components } from "../../api/data-api.d.ts";
import { queries, useAnswer } from "../../api/queries.ts";
import { serveAbi } from "./abi/abi-store.ts";

export type Source = components["schemas"]["ContractSource"];

const keyOf = (chainId: string, address: string) => ["source", chainId, address.toLowerCase()];

async function readSource(chainId: string, address: string): Promise<Source> {
  return answerOf(data.GET("/v1/chains/{chainId}/addresses/{address}/source", { params: { path: { chainId, address } } }));
}

/** One request. The ABI then decodes calls and logs wherever the explorer shows them. */
export function useSource(chainId: string, address: string, isWanted = true) {
  const source = useAnswer(keyOf(chainId, address), () => readSource(chainId, address), { isWanted, isRetried: false });
  useEffect(() => {
    if (source.data !== undefined) serveAbi(chainId, address, source.data.build?.abi);
  }, [chainId, address, source.data]);
  return source;
}

/** As it was read, or read now; undefined: the chain's node does not answer. */
export async function knownSource(chainId: string, address: string): Promise<Source | undefined> {
  const asking = queries.ensureQueryData({ queryKey: keyOf(chainId, address), queryFn: () => readSource(chainId, address), retry: false });
  return asking.catch(() => undefined);
}

const MOST_AT_ONCE = 8;

/** The first of these contracts, one request each. */
export function useSources(chainId: string, addresses: readonly string[]): void {
  const wanted = [...new Set(addresses)].slice(0, MOST_AT_ONCE);
  const sources = useAnswer(["sources", chainId, ...wanted], () => Promise.all(wanted.map((address) => knownSource(chainId, address))), {
    isWanted: wanted.length > 0,
    isRetried: false,
  });
  useEffect(() => {
    for (const [i, source] of (sources.data ?? []).entries()) if (source !== undefined) serveAbi(chainId, wanted[i]!, source.build?.abi);
  }, [chainId, sources.data]);
}

/** Throws an `ApiError` with the server's sentence if it does not keep the build. */
export async function sendBuild(chainId: string, address: string, build: string): Promise<Source> {
  const params = { path: { chainId, address } };
  const source = await answerOf(data.POST("/v1/chains/{chainId}/addresses/{address}/source", { params, body: { build } }));
  queries.setQueryData(keyOf(chainId, address), source);
  serveAbi(chainId, address, source.build?.abi);
  return source;
}
