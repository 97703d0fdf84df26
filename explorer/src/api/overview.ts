/** The server's overview, polled: the only request that repeats. Answers that follow from a chain that grew are read again. */
import { useQuery } from "@tanstack/preact-query";
import { useEffect } from "preact/hooks";
import { setClockOffset } from "../components/time.tsx";
import { answerOf, data } from "./client.ts";
import type { components } from "./data-api.d.ts";
import { chainsGrew, queries } from "./queries.ts";

export type Overview = components["schemas"]["Overview"];

export const POLL_MS = 6000;
/** Browsers that were opened at the same moment do not ask at the same moment. */
const JITTER_MS = 2000;
/** A server that takes longer for an answer that is made already does not answer. */
const LONGEST_MS = 20_000;

const KEY = ["overview"];

async function readOverview(): Promise<Overview> {
  return answerOf(data.GET("/v1/overview", { signal: AbortSignal.timeout(LONGEST_MS) }));
}

/** Asks for the overview before the first component needs it. */
export function askForOverview(): void {
  void queries.prefetchQuery({ queryKey: KEY, queryFn: readOverview });
}

/** The newest overview; every component that uses it shares one poll, which rests while the tab is hidden. */
export function useOverview() {
  return useQuery({
    queryKey: KEY,
    queryFn: readOverview,
    staleTime: POLL_MS,
    refetchInterval: () => POLL_MS + Math.random() * JITTER_MS,
    refetchOnWindowFocus: true,
  });
}

const MAINNET_ID = 1;

/** The name of the network in paths of the Data API: every network but mainnet answers as Fuji. */
export async function networkInPaths(): Promise<"mainnet" | "fuji"> {
  const { networkId } = await queries.ensureQueryData({ queryKey: KEY, queryFn: readOverview });
  return networkId === MAINNET_ID ? "mainnet" : "fuji";
}

let seen: Overview | undefined;

/** Tells the rest of the explorer what a new overview says. Used once, by the frame around all screens. */
export function useNews(): void {
  const { data: overview } = useOverview();
  useEffect(() => {
    if (overview === undefined) return;
    setClockOffset(overview.clockOffset);
    if (seen !== undefined) chainsGrew(grown(seen, overview));
    seen = overview;
  }, [overview]);
}

/** The chains whose newest block or transaction differs, by alias and by EVM chain ID. */
export function grown(before: Overview, after: Overview): ReadonlySet<string> {
  const tips = new Map(tipsOf(before));
  return new Set(tipsOf(after).flatMap(([chain, tip]) => (tips.get(chain) === tip ? [] : [chain])));
}

function tipsOf({ chains, evmChains }: Overview): [string, string][] {
  return [
    ...chains.map(({ alias, blocks, transactions }): [string, string] => [alias, `${blocks[0]?.blockHash} ${transactions[0]?.txHash}`]),
    ...evmChains.map(({ evmChainId, blocks }): [string, string] => [evmChainId, `${blocks[0]?.blockHash}`]),
  ];
}
