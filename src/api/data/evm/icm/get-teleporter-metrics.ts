import Type from "typebox";
import { evmIcmRanges } from "../../../../evm/index/icm-tables.ts";
import { metricChains, metricNames, metricValue } from "../../metrics/metric-schemas.ts";
import { namedObject } from "../../named-object.ts";
import { dataRoute } from "../../route.ts";

export const getTeleporterMetrics = dataRoute({
  method: "GET",
  path: "/chains/{chainId}/teleporterMetrics/{metric}",
  version: 2,
  operationId: "getTeleporterMetricsByChain",
  tag: "EVM: interchain messages",
  summary: "Numbers of transactions of an EVM chain that sent interchain messages, that received some, and their sum.",
  cost: "O(1): one row for each chain",
  computeUnits: 20,
  evm: "all",
  isOfState: true,
  params: Type.Object({
    chainId: metricChains,
    metric: metricNames(["teleporterSourceTxnCount", "teleporterDestinationTxnCount", "teleporterTotalTxnCount"]),
  }),
  query: Type.Object({}),
  response: namedObject("TeleporterChainMetricsApiResponse", { result: namedObject("TeleporterMetricsValue", { value: metricValue }) }),
  async handle({ params: { metric } }, { reader, evmChains }) {
    const rows = await reader.getMany(
      evmIcmRanges,
      evmChains.map(({ chain }) => ({ chain })),
    );
    const sum = (member: "sendingTransactions" | "receivingTransactions") => rows.reduce((total, row) => total + (row?.[member] ?? 0n), 0n);
    const sent = metric === "teleporterDestinationTxnCount" ? 0n : sum("sendingTransactions");
    const received = metric === "teleporterSourceTxnCount" ? 0n : sum("receivingTransactions");
    return { result: { value: sent + received } };
  },
});
