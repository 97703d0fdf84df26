import Type from "typebox";
import { blockchainCreations, blockchains } from "../../../index/primary/network/network-tables.ts";
import { pageOf, pageQuery, sortQuery } from "../paging.ts";
import { dataRoute } from "../route.ts";
import { readCreations } from "./creations.ts";
import { blockchainSchema, presentBlockchain } from "./present.ts";

export const listBlockchains = dataRoute({
  method: "GET",
  path: "/networks/{network}/blockchains",
  operationId: "listBlockchains",
  tag: "Primary network: subnets and blockchains",
  summary: "All blockchains in order of creation, newest first.",
  description: "In ascending order P, X and C come first. Only the route for a single blockchain returns its genesis.",
  cost: "O(pageSize): a range of creations, and as many blockchains",
  computeUnits: 20,
  query: Type.Object({ ...pageQuery(10_000, 100), ...sortQuery }),
  response: pageOf({ blockchains: Type.Array(blockchainSchema) }),
  async handle({ query }, context) {
    const { page, next } = await readCreations(blockchainCreations, query, context);
    const keys = page.map(({ value }) => value);
    const rows = await context.reader.getMany(blockchains, keys);
    return {
      blockchains: keys.map(({ chainId }, i) => presentBlockchain(chainId, rows[i]!, context.network)),
      ...context.nextPage(next),
    };
  },
});
