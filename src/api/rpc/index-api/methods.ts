/** `index.*` at /ext/index/<chain>/<kind>. Every path has its own numbering (rpc-avm-info-health 7.3). */

import { formatId } from "../../../base/bytes/cb58.ts";
import type { Id } from "../../../base/bytes/id.ts";
import { formatAcceptedAt } from "../../../base/json/accepted-at.ts";
import type { JsonObject } from "../../../base/json/go-encode.ts";
import { RpcError } from "../errors.ts";
import { type Method, method, type RpcContext } from "../method.ts";
import { type Encoding, encodeBytes, encoding, id, integer } from "../params.ts";
import { blockIndex, type Container, type ContainerIndex, txIndex, vertexIndex } from "./container-index.ts";

const MAX_FETCHED = 1024n;
const NOTHING_ACCEPTED = "no containers have been accepted";

export const blockIndexMethods = indexMethods(blockIndex);
export const txIndexMethods = indexMethods(txIndex);
export const vertexIndexMethods = indexMethods(vertexIndex);

function indexMethods(index: ContainerIndex): readonly Method[] {
  return [
    method({
      name: "index.getLastAccepted",
      summary: "The newest container of the index.",
      cost: "three rows",
      computeUnits: 10,
      params: { encoding },
      async handler(params, context) {
        const last = await lastIndex(index, context);
        return containerJson(await at(index, context, last), params.encoding);
      },
    }),
    method({
      name: "index.getContainerByIndex",
      summary: "The container at an index.",
      cost: "two rows",
      computeUnits: 10,
      params: { index: integer(64), encoding },
      handler: async (params, context) => containerJson(await at(index, context, params.index), params.encoding),
    }),
    method({
      name: "index.getContainerByID",
      summary: "The container with an ID.",
      cost: "four rows",
      computeUnits: 10,
      params: { id, encoding },
      async handler(params, context) {
        return containerJson(await at(index, context, await indexOf(index, context, params.id)), params.encoding);
      },
    }),
    method({
      name: "index.getContainerRange",
      summary: "Up to 1,024 containers from an index on.",
      cost: "O(answer)",
      computeUnits: 20,
      params: { startIndex: integer(64), numToFetch: integer(64), encoding },
      handler: (params, context) => containerRange(index, context, params),
    }),
    method({
      name: "index.getIndex",
      summary: "The index of a container.",
      cost: "three rows",
      computeUnits: 10,
      params: { id },
      handler: async (params, context) => ({ index: `${await indexOf(index, context, params.id)}` }),
    }),
    method({
      name: "index.isAccepted",
      summary: "Whether a container is in the index.",
      cost: "two rows",
      computeUnits: 10,
      params: { id },
      handler: async (params, context) => ({ isAccepted: (await index.indexOf(context, params.id)) !== undefined }),
    }),
  ];
}

interface RangeParams {
  readonly startIndex: bigint;
  readonly numToFetch: bigint;
  readonly encoding: Encoding;
}

async function containerRange(index: ContainerIndex, context: RpcContext, { startIndex, numToFetch, encoding }: RangeParams) {
  if (numToFetch === 0n || numToFetch > MAX_FETCHED) {
    throw new RpcError(`numToFetch must be in [1,${MAX_FETCHED}] but is ${numToFetch}`);
  }
  const last = await lastIndex(index, context);
  if (startIndex > last) throw new RpcError(`start index (${startIndex}) > last accepted index (${last})`);
  const containers = await index.read(context, startIndex, Number(numToFetch));
  const rendered: JsonObject[] = [];
  for (const container of containers) {
    // each container may be large
    for (let turn = context.work.turn(); turn !== undefined; turn = context.work.turn()) await turn;
    rendered.push(containerJson(container, encoding));
  }
  return { containers: rendered };
}

async function lastIndex(index: ContainerIndex, context: RpcContext): Promise<bigint> {
  const last = await index.lastIndex(context);
  if (last === undefined) throw new RpcError(NOTHING_ACCEPTED);
  return last;
}

async function indexOf(index: ContainerIndex, context: RpcContext, containerId: Id): Promise<bigint> {
  const found = await index.indexOf(context, containerId);
  if (found === undefined) throw new RpcError("not found");
  return found;
}

async function at(index: ContainerIndex, context: RpcContext, number: bigint): Promise<Container> {
  const last = await index.lastIndex(context);
  const [container] = last === undefined || number > last ? [] : await index.read(context, number, 1);
  if (container === undefined) throw new RpcError(`no container at index ${number}`);
  return container;
}

function containerJson({ id: containerId, bytes, acceptedAt, index }: Container, as: Encoding): JsonObject {
  const text = encodeBytes(bytes, as);
  return { id: formatId(containerId), bytes: text, timestamp: formatAcceptedAt(acceptedAt), encoding: as, index: `${index}` };
}
