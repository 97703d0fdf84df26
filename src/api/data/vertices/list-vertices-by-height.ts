import Type from "typebox";
import { mergedScan } from "../../../index/merged-scan.ts";
import { X_CHAIN } from "../../../index/primary/primary-chain.ts";
import { primaryVertices } from "../../../index/primary/transactions/transaction-tables.ts";
import { chainInfo, chainInfoSchema } from "../network-labels.ts";
import { pageOf, pageQuery, sortQuery } from "../paging.ts";
import { dataRoute } from "../route.ts";
import { presentVertices } from "./present.ts";
import { vertexSchema } from "./schemas.ts";

export const listVerticesByHeight = dataRoute({
  method: "GET",
  path: "/networks/{network}/blockchains/{blockchainId}/vertices:listByHeight",
  operationId: "getVertexByHeight",
  tag: "Primary network: vertices",
  summary: "Vertices of the X-chain at a height, in the order of their IDs, the last one first.",
  description: "A chain that was linear from the beginning has none.",
  cost: "O(pageSize) rows",
  computeUnits: 20,
  chains: [X_CHAIN],
  query: Type.Object({
    vertexHeight: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: "Height in the DAG." }),
    ...pageQuery(),
    ...sortQuery,
  }),
  response: pageOf({ vertices: Type.Array(vertexSchema), chainInfo: chainInfoSchema }, "ListXChainVerticesResponse"),
  async handle({ query: { vertexHeight, pageSize, sortOrder } }, context) {
    const { reader, after } = context;
    const rows = await mergedScan(reader, primaryVertices, {
      prefixes: [{ height: BigInt(vertexHeight) }],
      ...(after && { after: { vertexId: String(after.vertexId) } }),
      reverse: sortOrder === "desc",
      limit: pageSize + 1,
    });
    const vertexIds = rows.slice(0, pageSize).map(({ key }) => key.vertexId);
    const vertexId = rows.length > pageSize ? vertexIds.at(-1) : undefined;
    const vertices = await presentVertices(vertexIds, context);
    return { vertices, ...context.nextPage(vertexId === undefined ? undefined : { vertexId }), chainInfo: chainInfo(context) };
  },
});
