/** Schemas that the routes of metrics share. */
import Type from "typebox";
import { INTERVALS } from "../../../base/time/intervals.ts";
import { namedObject } from "../named-object.ts";
import { pageOf } from "../paging.ts";

/** A rounded number for rates and averages, else exact. */
export type MetricValue = bigint | number;

/** 90 days of hours, as the hosted service has it. */
export const LONGEST_PAGE = 2160;

export const metricChains = Type.String({
  description:
    "EVM chain ID as a decimal number, blockchain ID (cb58), or `total`, `mainnet` or `testnet` for all chains of this server, or those of this kind. A chain that is not served here is 404.",
  examples: ["43114"],
});

export function metricNames<T extends string>(names: readonly T[]) {
  return Type.Union(
    names.map((name) => Type.Literal(name)),
    { description: "The metric." },
  );
}

export const timeIntervalQuery = {
  timeInterval: Type.Union(
    INTERVALS.map((interval) => Type.Literal(interval)),
    { default: "day", description: "Length of the intervals." },
  ),
};

export const metricValue = Type.Unsafe<MetricValue>({
  type: "number",
  description: "Exact, unless it is an average or a rate. Prices and fees are in wei.",
});

export const metricPoint = namedObject("MetricsValue", {
  value: metricValue,
  timestamp: Type.Integer({ description: "Unix seconds: where the hour, day, week or month begins." }),
});

export const primaryMetrics = pageOf({ results: Type.Array(metricPoint) }, "PrimaryNetworkMetricsApiResponse");

/** Without it a reader would take counts for those of the whole chain. */
export const countedFromBlock = Type.Optional(
  Type.String({
    description:
      "Present if blocks are not counted: the first that is. The chain was indexed from it on, its settings switched metrics off before it, or a version of Firn without metrics indexed the older ones.",
  }),
);
