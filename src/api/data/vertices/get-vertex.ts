import Type from "typebox";
import { X_CHAIN } from "../../../index/primary/primary-chain.ts";
import { notFound } from "../errors.ts";
import { cb58Id, parseIdParam } from "../ids.ts";
import { dataRoute } from "../route.ts";
import { presentVertices } from "./present.ts";
import { vertexSchema } from "./schemas.ts";

export const getVertex = dataRoute({
  method: "GET",
  path: "/networks/{network}/blockchains/{blockchainId}/vertices/{vertexHash}",
  operationId: "getVertexByHash",
  tag: "Primary network: vertices",
  summary: "One vertex of the X-chain.",
  cost: "A few rows",
  computeUnits: 20,
  chains: [X_CHAIN],
  params: Type.Object({ vertexHash: cb58Id("ID of the vertex") }),
  query: Type.Object({}),
  response: vertexSchema,
  async handle({ params: { vertexHash } }, context) {
    const [vertex] = await presentVertices([parseIdParam("vertexHash", vertexHash)], context);
    if (vertex === undefined) throw notFound(`the x-chain has no vertex ${vertexHash}`);
    return vertex;
  },
});
