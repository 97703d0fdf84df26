import Type, { type Static } from "typebox";

export const vertexSchema = Type.Object({
  vertexHash: Type.String(),
  parentHashes: Type.Array(Type.String()),
  vertexHeight: Type.Integer(),
  vertexIndex: Type.Integer({ description: "Place by ID among the vertices of its height." }),
  vertexTimestamp: Type.Integer({ description: "When the source accepted it, else genesis time: vertices have no time of their own." }),
  txCount: Type.Integer(),
  transactions: Type.Array(Type.String(), { description: "IDs" }),
  vertexSizeBytes: Type.Integer(),
});
export type Vertex = Static<typeof vertexSchema>;
