import Type from "typebox";
import { dataRoute } from "../route.ts";
import { evmOverviews } from "./evm-chain.ts";
import { primaryOverviews } from "./primary-chain.ts";
import { overviewSchema } from "./schemas.ts";

/** EVM chains that are shown; a server may have more. */
export const MAX_SHOWN_CHAINS = 64;

export const getOverview = dataRoute({
  method: "GET",
  path: "/overview",
  operationId: "getOverview",
  tag: "This server",
  summary: "All that this server has: its network and its chains, each with its height and its newest blocks and transactions.",
  description:
    "Made to be polled: the answer is kept until a block is committed. How far a chain is behind its source is in the header " +
    "`Firn-Seconds-Behind-…`. Also answered by a server without a primary network.",
  cost: "one row for each chain, and some 17 for each that has changed since the last answer",
  computeUnits: 1,
  evm: "all",
  isOfState: true,
  query: Type.Object({}),
  response: overviewSchema,
  async handle(_, context) {
    const { network, evmChains } = context;
    const [clockOffset, chains, shown] = await Promise.all([
      context.clockOffset,
      primaryOverviews(context),
      evmOverviews(evmChains.slice(0, MAX_SHOWN_CHAINS), context),
    ]);
    return {
      networkId: network.networkId,
      networkName: network.name,
      hrp: network.hrp,
      isDevnet: clockOffset !== undefined,
      clockOffset: Number(clockOffset ?? 0n),
      nftPictures: evmChains.some(({ settings }) => settings.nfts.fetches),
      chains,
      evmChains: shown,
      evmChainCount: evmChains.length,
    };
  },
});
