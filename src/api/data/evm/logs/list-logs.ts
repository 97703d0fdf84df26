import Type from "typebox";
import { pageOf, pageQuery } from "../../paging.ts";
import { dataRoute } from "../../route.ts";
import { blockBounds, logBlocksQuery, parseOptionalEvmAddress, parseOptionalTopic } from "../parameters.ts";
import { MOST_PAGE_DATA, presentLogs, readLogs } from "./log-pages.ts";
import { firstBlockWithLogs } from "./log-range.ts";
import { eventLogSchema } from "./log-schemas.ts";

export const listLogs = dataRoute({
  method: "GET",
  path: "/chains/{chainId}/logs",
  operationId: "listLogs",
  tag: "EVM: logs",
  summary: "Event logs of a chain, newest first: all, of a contract, of a first topic, or of both.",
  description: `A page ends early once its logs have more than ${MOST_PAGE_DATA} bytes of data.`,
  cost: "O(pageSize) rows",
  computeUnits: 20,
  evm: "chain",
  isOfState: true,
  query: Type.Object({
    address: Type.Optional(Type.String({ description: "Only logs of this contract: 0x and 40 hex digits of any case." })),
    topic0: Type.Optional(
      Type.String({
        description: "Only logs with this first topic, the Keccak-256 hash of the event's signature: 0x and 64 hex digits of any case.",
      }),
    ),
    ...logBlocksQuery,
    ...pageQuery(),
  }),
  response: pageOf({
    logs: Type.Array(eventLogSchema),
    logsFromBlock: Type.Optional(
      Type.String({
        description:
          "Present if logs of older blocks are missing that the request asks for: height of the first block with logs. A version of Firn that did not keep logs indexed the older blocks.",
      }),
    ),
  }),
  async handle({ query }, context) {
    const { pageSize, fromBlock = 0, toBlock } = query;
    const filter = { address: parseOptionalEvmAddress(query.address, "address"), topic0: parseOptionalTopic(query.topic0, "topic0") };
    const first = await firstBlockWithLogs(context);
    const lacksOlder = first > context.evmChain.settings.startBlock && first > BigInt(fromBlock);
    const missing = lacksOlder ? { logsFromBlock: `${first}` } : {};
    const startBlock = lacksOlder ? Number(first) : fromBlock;
    const bounds = blockBounds({ startBlock, ...(toBlock !== undefined && { endBlock: toBlock + 1 }) }, { reverse: true });
    if (bounds === undefined) return { logs: [], ...missing };
    const { logs, next } = await readLogs(filter, bounds, { pageSize, after: context.after }, context);
    return { logs: await presentLogs(logs, context), ...missing, ...context.nextPage(next) };
  },
});
