import Type, { type Static } from "typebox";
import { namedObject } from "../named-object.ts";

export const vertexSchema = namedObject("XChainVertex", {
  vertexHash: Type.String(),
  parentHashes: Type.Array(Type.String()),
  vertexHeight: Type.Integer(),
  vertexIndex: Type.Integer({ description: "Position among the vertices of its height, ordered by ID." }),
  vertexTimestamp: Type.Integer({
    description: "The time at which the source accepted the vertex, or else the time of genesis: vertices have no time of their own.",
  }),
  txCount: Type.Integer(),
  transactions: Type.Array(Type.String(), { description: "IDs" }),
  vertexSizeBytes: Type.Integer(),
});
export type Vertex = Static<typeof vertexSchema>;
