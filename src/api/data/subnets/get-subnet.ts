import Type from "typebox";
import { notFound } from "../errors.ts";
import { cb58Id, parseIdParam } from "../ids.ts";
import { dataRoute } from "../route.ts";
import { presentSubnets, subnetSchema } from "./present.ts";

export const getSubnet = dataRoute({
  method: "GET",
  path: "/networks/{network}/subnets/{subnetId}",
  operationId: "getSubnetById",
  tag: "Primary network: subnets and blockchains",
  summary: "One subnet, with its owners and blockchains.",
  cost: "O(blockchains of the subnet): one row for the subnet, two for each blockchain",
  computeUnits: 20,
  params: Type.Object({ subnetId: cb58Id("ID of the subnet") }),
  query: Type.Object({}),
  response: subnetSchema,
  async handle({ params }, context) {
    const [subnet] = await presentSubnets([parseIdParam("subnetId", params.subnetId)], context);
    if (subnet === undefined) throw notFound(`subnet ${params.subnetId} was not found on this network`);
    return subnet;
  },
});
