import Type from "typebox";
import { X_CHAIN } from "../../../index/primary/primary-chain.ts";
import { vertexOrder } from "../../../index/tables.ts";
import { chainInfo, chainInfoSchema } from "../network-labels.ts";
import { pageOf, pageQuery } from "../paging.ts";
import { dataRoute } from "../route.ts";
import { presentVertices } from "./present.ts";
import { vertexSchema } from "./schemas.ts";

export const listLatestVertices = dataRoute({
  method: "GET",
  path: "/networks/{network}/blockchains/{blockchainId}/vertices",
  operationId: "listLatestXChainVertices",
  tag: "Primary network: vertices",
  summary: "Vertices of the X-chain in order of acceptance, newest first.",
  description: "A chain that was linear from the beginning has none.",
  cost: "O(pageSize) rows",
  computeUnits: 20,
  chains: [X_CHAIN],
  query: Type.Object(pageQuery()),
  response: pageOf({ vertices: Type.Array(vertexSchema), chainInfo: chainInfoSchema }, "ListXChainVerticesResponse"),
  async handle({ query: { pageSize } }, context) {
    const { reader, network, after } = context;
    const rows = await reader.scan(vertexOrder, {
      prefix: { chainId: network.xChainId },
      ...(after && { after: { index: BigInt(after.index!) } }),
      reverse: true,
      limit: pageSize + 1,
    });
    const shown = rows.slice(0, pageSize);
    const vertices = await presentVertices(
      shown.map(({ value }) => value.vertexId),
      context,
    );
    const last = rows.length > pageSize ? shown.at(-1) : undefined;
    return { vertices, ...context.nextPage(last && { index: last.key.index }), chainInfo: chainInfo(context) };
  },
});
