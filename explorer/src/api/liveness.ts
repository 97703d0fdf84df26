/** Whether the server still answers, and whether its health checks pass. */
import { useQuery } from "@tanstack/preact-query";
import { data } from "./client.ts";
import { POLL_MS, useOverview } from "./overview.ts";

export interface Liveness {
  /** Unix seconds of the last answer, by this machine's clock; undefined: the server answers */
  readonly silentSince: number | undefined;
  /** whether a health check fails; undefined: not known */
  readonly isHealthy: boolean | undefined;
}

export function useLiveness(): Liveness {
  const { dataUpdatedAt, failureCount, isError } = useOverview();
  const isSilent = dataUpdatedAt > 0 && (isError || failureCount > 0);
  const health = useQuery({ queryKey: ["health-check"], queryFn: readHealth, staleTime: POLL_MS, refetchInterval: POLL_MS, retry: false });
  return { silentSince: isSilent ? Math.floor(dataUpdatedAt / 1000) : undefined, isHealthy: health.data };
}

/** Its status tells: 503 if a check fails. */
async function readHealth(): Promise<boolean> {
  const { response } = await data.GET("/v1/health-check");
  return response.status !== 503;
}
