/** Metrics of EVM chains, as they are asked for. */
import { answerOf, data } from "../../api/client.ts";
import { useAnswer } from "../../api/queries.ts";

export const METRICS = ["txCount", "gasUsed", "feesPaid", "activeAddresses", "contracts"] as const;
export type Metric = (typeof METRICS)[number];

export const INTERVALS = ["hour", "day", "week", "month"] as const;
export type Interval = (typeof INTERVALS)[number];

interface MetricRequest {
  /** EVM chain ID, or `total` for all chains of the server */
  readonly chainId: string;
  readonly metric: Metric;
  readonly timeInterval: Interval;
  /** how many intervals */
  readonly pageSize: number;
  /** chains whose growth changes the answer */
  readonly follows: readonly string[];
  readonly isWanted?: boolean;
}

/** The newest intervals, newest first; a number of wei may have lost its last digits. */
export function useMetric({ chainId, metric, timeInterval, pageSize, follows, isWanted = true }: MetricRequest) {
  return useAnswer(
    ["metric", chainId, metric, timeInterval, pageSize],
    () =>
      answerOf(
        data.GET("/v2/chains/{chainId}/metrics/{metric}", { params: { path: { chainId, metric }, query: { timeInterval, pageSize } } }),
      ),
    { follows, isWanted },
  );
}
