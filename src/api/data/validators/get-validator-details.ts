import Type from "typebox";
import { parseNodeIdParam } from "../ids.ts";
import { pageOf, pageQuery, sortQuery } from "../paging.ts";
import { dataRoute } from "../route.ts";
import { statusesOf, statusParam } from "./filters.ts";
import { stakingPicture, validatorPage } from "./page.ts";
import { validatorSchema } from "./schemas.ts";

export const getValidatorDetails = dataRoute({
  method: "GET",
  path: "/networks/{network}/validators/{nodeId}",
  operationId: "getSingleValidatorDetails",
  tag: "Primary network: staking",
  summary: "All validations of one node, one item for each staking transaction.",
  description: "A node that never validated has none: the list is empty.",
  cost: "O(pageSize) rows",
  computeUnits: 20,
  params: Type.Object({ nodeId: Type.String({ description: "NodeID-…" }) }),
  query: Type.Object({ ...pageQuery(), ...sortQuery, validationStatus: statusParam }),
  response: pageOf({ validators: Type.Array(validatorSchema) }, "ListValidatorDetailsResponse"),
  async handle({ params, query }, context) {
    const filter = {
      statuses: statusesOf(query.validationStatus),
      nodeIds: new Set([parseNodeIdParam("nodeId", params.nodeId)]),
      ...{ subnetId: undefined, capacity: undefined, secondsLeft: undefined, fees: undefined, uptime: undefined },
    };
    const page = { filter, sortBy: "blockIndex" as const, isDescending: query.sortOrder === "desc", pageSize: query.pageSize };
    return validatorPage(page, await stakingPicture(context), context);
  },
});
