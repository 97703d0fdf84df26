import Type from "typebox";
import { pageOf } from "../paging.ts";
import { dataRoute } from "../route.ts";
import { sortOf, validatorFilter, validatorQuery } from "./filters.ts";
import { stakingPicture, validatorPage } from "./page.ts";
import { validatorSchema } from "./schemas.ts";

export const listValidators = dataRoute({
  method: "GET",
  path: "/networks/{network}/validators",
  operationId: "listValidators",
  tag: "Primary network: staking",
  summary: "Pending, active and past validators of the primary network and of subnets.",
  description:
    "Bounds hide validators that lack the figure: completed and removed ones have neither capacity, nor time remaining, nor uptime. " +
    "Uptime is 0 for every active validator, since this node does not measure it.",
  cost:
    "Active and pending validators are filtered in memory, which is updated once per block. Others cost O(pageSize + ranges) rows: one range per " +
    "status and matching node, and about 40 (at most 150) for fee bounds. Many matching nodes cost at most 3 rows each, usually far fewer",
  computeUnits: 20,
  query: validatorQuery,
  response: pageOf({ validators: Type.Array(validatorSchema) }, "ListValidatorDetailsResponse"),
  async handle({ query }, context) {
    const picture = await stakingPicture(context);
    const filter = await validatorFilter(query, picture.nodes, context);
    const sortBy = sortOf(query, filter, context);
    const page = { filter, sortBy, isDescending: query.sortOrder === "desc", pageSize: query.pageSize };
    return validatorPage(page, picture, context);
  },
});
