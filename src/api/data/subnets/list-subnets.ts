import Type from "typebox";
import { subnetCreations } from "../../../index/primary/network/network-tables.ts";
import { readCreations } from "../blockchains/creations.ts";
import { pageOf, pageQuery, sortQuery } from "../paging.ts";
import { dataRoute } from "../route.ts";
import { presentSubnets, subnetSchema } from "./present.ts";

export const listSubnets = dataRoute({
  method: "GET",
  path: "/networks/{network}/subnets",
  operationId: "listSubnets",
  tag: "Primary network: subnets and blockchains",
  summary: "All subnets in order of creation, newest first, with their owners and blockchains.",
  description: "Owners are the current ones. The primary network is the oldest subnet; it has no owners.",
  cost: "O(pageSize + blockchains of the page's subnets): a range of creations, and three reads by key",
  computeUnits: 20,
  query: Type.Object({ ...pageQuery(10_000, 100), ...sortQuery }),
  response: pageOf({ subnets: Type.Array(subnetSchema) }),
  async handle({ query }, context) {
    const { page, next } = await readCreations(subnetCreations, query, context);
    const presented = await presentSubnets(
      page.map(({ value }) => value.subnetId),
      context,
    );
    return { subnets: presented.map((subnet) => subnet!), ...context.nextPage(next) };
  },
});
