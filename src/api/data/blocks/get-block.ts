import Type from "typebox";
import { parseId } from "../../../base/bytes/cb58.ts";
import type { Id } from "../../../base/bytes/id.ts";
import { TextError } from "../../../base/errors/text-error.ts";
import { C_CHAIN, chainIdOf, P_CHAIN, X_CHAIN } from "../../../index/primary/primary-chain.ts";
import { blockHeights } from "../../../index/tables.ts";
import type { ChainContext } from "../context.ts";
import { badRequest, notFound } from "../errors.ts";
import { shown } from "../ids.ts";
import { chainNameOf } from "../network-labels.ts";
import { dataRoute } from "../route.ts";
import { cChainGenesisRow } from "./c-chain-genesis.ts";
import { presentBlocks } from "./present.ts";
import { blockSchema } from "./schemas.ts";

export const getBlock = dataRoute({
  method: "GET",
  path: "/networks/{network}/blockchains/{blockchainId}/blocks/{blockId}",
  operationId: "getBlockById",
  tag: "Primary network: blocks",
  summary: "One block, by its height or its hash.",
  cost: "A few rows, and one for each transaction of the block",
  computeUnits: 100,
  chains: [P_CHAIN, X_CHAIN, C_CHAIN],
  params: Type.Object({
    blockId: Type.String({ minLength: 1, description: "Height, or hash: cb58, or on the C-chain 0x and 64 hex digits" }),
  }),
  query: Type.Object({}),
  response: blockSchema,
  async handle({ params: { blockId } }, context) {
    const height = await heightOf(blockId, context);
    const [block] = height === undefined ? [] : await presentBlocks([height], context);
    if (block === undefined) throw notFound(`the ${chainNameOf(context.chain)} has no block ${shown(blockId)}`);
    return block;
  },
});

const MAX_HEIGHT = 2n ** 64n - 1n;

async function heightOf(text: string, context: ChainContext): Promise<bigint | undefined> {
  const { reader, chain, network } = context;
  if (/^[0-9]{1,20}$/.test(text)) {
    const height = BigInt(text);
    return height > MAX_HEIGHT ? undefined : height;
  }
  const blockId = chain === C_CHAIN ? parseHash(text) : parseBlockId(text);
  const row = await reader.get(blockHeights, { chainId: chainIdOf(chain, network), blockId });
  if (row !== undefined || chain !== C_CHAIN) return row?.height;
  return (await cChainGenesisRow(context))?.blockId === blockId ? 0n : undefined;
}

function parseHash(text: string): Id {
  if (/^0x[0-9a-fA-F]{64}$/.test(text)) return text.slice(2).toLowerCase();
  throw badRequest(`blockId must be a height, or a hash: 0x and 64 hex digits, got ${shown(text)}`);
}

function parseBlockId(text: string): Id {
  try {
    return parseId(text);
  } catch (error) {
    if (!(error instanceof TextError)) throw error;
    throw badRequest(`blockId must be a height, or a hash: cb58 of 32 bytes, got ${shown(text)} (${error.message})`);
  }
}
