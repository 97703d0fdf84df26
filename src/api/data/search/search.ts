import Type from "typebox";
import { formatId } from "../../../base/bytes/cb58.ts";
import { evmBlocks } from "../../../evm/index/tables.ts";
import { C_CHAIN, chainIdOf, primaryChains } from "../../../index/primary/primary-chain.ts";
import { primaryBlocks, primaryVertices } from "../../../index/primary/transactions/transaction-tables.ts";
import { blockHash } from "../blocks/present.ts";
import type { EvmChainsContext } from "../context.ts";
import { dataRoute } from "../route.ts";
import { findEvmAddress, findNode, findOwner } from "./by-address.ts";
import { ALIASES, findById, presentEvmChain } from "./by-id.ts";
import { findByName } from "./by-name.ts";
import { FORMS, type Readings, readingsOf } from "./readings.ts";
import { type SearchResult, searchResponseSchema } from "./schemas.ts";

/** Any number of vertices may have the same height. */
const MAX_VERTICES = 5;

/** Finds blocks by height, and EVM chains by their IDs. Costs a row for each chain, and some for vertices of that height. */
async function findByNumber(number: bigint, { reader, evmChains }: EvmChainsContext): Promise<SearchResult[]> {
  const [primary, evm, vertices] = await Promise.all([
    reader.getMany(
      primaryBlocks,
      primaryChains.map((chain) => ({ chain, height: number })),
    ),
    reader.getMany(
      evmBlocks,
      evmChains.map(({ chain }) => ({ chain, height: number })),
    ),
    reader.scan(primaryVertices, { prefix: { height: number }, limit: MAX_VERTICES }),
  ]);
  const blockNumber = `${number}`;
  return [
    ...evmChains.filter(({ evmChainId }) => evmChainId === number).map(presentEvmChain),
    ...primaryChains.flatMap((chain): SearchResult[] => {
      const row = primary[chain];
      return row === undefined ? [] : [{ kind: "block", chain: ALIASES[chain], id: blockHash(chain, row.blockId), blockNumber }];
    }),
    ...evmChains.flatMap(({ evmChainId, settings }, i): SearchResult[] => {
      const row = evm[i];
      return row === undefined
        ? []
        : [{ kind: "block", evmChainId: `${evmChainId}`, id: `0x${row.hash}`, hint: settings.name, blockNumber }];
    }),
    ...vertices.map(({ key }): SearchResult => ({ kind: "vertex", chain: "X", id: formatId(key.vertexId), hint: `at height ${number}` })),
  ];
}

const MAX_QUERY = 200;
const MAX_RESULTS = 20;

export const search = dataRoute({
  method: "GET",
  path: "/search",
  operationId: "search",
  tag: "This server",
  summary:
    "All that a text names: a transaction, block, vertex, address, node, subnet, blockchain, L1 validator, asset, token, contract or chain.",
  description:
    "One text in any form: an ID in cb58 or hex, a hash, a height, an address of any chain, a node ID, a name, a symbol or the beginning of one. " +
    "Only what is indexed is found; a valid address that no transaction named is not. If nothing is found, `understoodAs` and `problems` say " +
    "how the text was read, and `forms` what is understood. Names are compared without case. Anybody can give anything any name: of one name " +
    "the oldest come first. Tokens are searched by name on the first 16 EVM chains.",
  cost: "some 150 rows, 10 for each EVM chain, and for a name some 200 for each of the first 16 EVM chains",
  computeUnits: 50,
  evm: "all",
  isOfState: true,
  query: Type.Object({ query: Type.String({ minLength: 1, maxLength: MAX_QUERY, description: `At most ${MAX_QUERY} characters.` }) }),
  response: searchResponseSchema,
  async handle({ query: { query } }, context) {
    const readings = readingsOf(query, context.network);
    const results = distinct(await findAll(readings, context), context).slice(0, MAX_RESULTS);
    const { understoodAs, problems } = readings;
    return { results, understoodAs, problems, ...(results.length === 0 && { forms: [...FORMS] }) };
  },
});

/** The more a text says, the earlier come the things that it names. */
async function findAll({ id, evmAddress, owner, nodeId, number, name }: Readings, context: EvmChainsContext): Promise<SearchResult[]> {
  const found = await Promise.all([
    id === undefined ? [] : findById(id, context),
    evmAddress === undefined ? [] : findEvmAddress(evmAddress, context),
    owner === undefined ? [] : findOwner(owner, context),
    nodeId === undefined ? [] : findNode(nodeId, context),
    number === undefined ? [] : findByNumber(number, context),
    name === undefined ? [] : findByName(name, MAX_RESULTS, context),
  ]);
  return found.flat();
}

/** Each thing once. A block of the C-chain that is indexed as one of an EVM chain is shown as that, which says more. */
function distinct(results: readonly SearchResult[], { network, evmChains }: EvmChainsContext): SearchResult[] {
  const c = evmChains.find(({ settings }) => settings.blockchainId === chainIdOf(C_CHAIN, network));
  const placeOf = (result: SearchResult) => {
    const isOfC = result.kind === "block" && (result.chain === "C" || (c !== undefined && result.evmChainId === `${c.evmChainId}`));
    return isOfC ? `block C ${result.blockNumber}` : `${result.kind} ${result.chain} ${result.evmChainId} ${result.id}`;
  };
  const kept = new Map<string, SearchResult>();
  for (const result of results) {
    const place = placeOf(result);
    if (!kept.has(place) || (kept.get(place)!.chain === "C" && result.evmChainId !== undefined)) kept.set(place, result);
  }
  return [...kept.values()];
}
