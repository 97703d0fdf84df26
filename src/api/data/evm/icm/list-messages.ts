import Type from "typebox";
import type { Id } from "../../../../base/bytes/id.ts";
import { type IcmListKind, icmList } from "../../../../evm/index/icm-tables.ts";
import type { Address } from "../../../../sources/evm/parser/block.ts";
import type { StoreReader } from "../../../../store/store.ts";
import type { EvmChainsContext } from "../../context.ts";
import { pageOf, pageQuery } from "../../paging.ts";
import { dataRoute } from "../../route.ts";
import { networkQuery } from "../latest-of-all.ts";
import { evmAddress, parseEvmAddress, parseOptionalEvmAddress } from "../parameters.ts";
import { type IcmChain, IcmChains, icmChainQuery } from "./icm-chains.ts";
import { indexedFrom, readIndexedFrom } from "./icm-range.ts";
import { icmMessage } from "./icm-schemas.ts";
import { presentMessages } from "./present-message.ts";
import { type IcmListOfChain, type LoadedMessage, messagePage } from "./read-messages.ts";

const partyText = (description: string) =>
  Type.Optional(Type.String({ minLength: 1, description: `${description}: 0x and 40 hex digits of any case.` }));

const COMMON = {
  method: "GET",
  tag: "EVM: interchain messages",
  cost: "O(pageSize + lists) rows: each chain has one or two lists. A page ends early after 1,000 messages that it does not show",
  computeUnits: 20,
  evm: "all",
  isOfState: true,
} as const;
const DESCRIPTION =
  "Messages are in order of the time when they were sent, or received if their source is not indexed here. A page may be short, or empty, and have a next one.";

const response = pageOf({ messages: Type.Array(icmMessage), indexedFrom }, "ListIcmMessagesResponse");

/** ICM messages, and the same under the older name of their paths. */
export const listIcmMessages = listOfMessages({ path: "/icm/messages", operationId: "listIcmMessages" });
export const listTeleporterMessages = listOfMessages({ path: "/teleporter/messages", operationId: "listTeleporterMessages" });
export const listIcmMessagesByAddress = listByAddress({
  path: "/icm/addresses/{address}/messages",
  operationId: "listIcmMessagesByAddress",
});
export const listTeleporterMessagesByAddress = listByAddress({
  path: "/teleporter/addresses/{address}/messages",
  operationId: "listTeleporterMessagesByAddress",
});

interface RouteNames {
  readonly path: string;
  readonly operationId: string;
}

function listOfMessages(names: RouteNames) {
  return dataRoute({
    ...COMMON,
    ...names,
    summary: "Messages between chains of this server, or from or to other chains, newest first.",
    description: DESCRIPTION,
    query: Type.Object({
      ...pageQuery(),
      ...icmChainQuery,
      to: partyText("Only messages for this contract"),
      from: partyText("Only messages of this sender"),
      ...networkQuery,
    }),
    response,
    async handle({ query }, context) {
      const chains = new IcmChains(context, query.network);
      const [source, destination, either] = (["sourceBlockchainId", "destinationBlockchainId", "blockchainId"] as const).map((name) =>
        chains.parse(name, query[name]),
      );
      const [from, to] = (["from", "to"] as const).map((name) => parseOptionalEvmAddress(query[name], name));
      if (source === "none" || destination === "none" || either === "none") return { messages: [] };
      return answerOf({ source, destination, either, from, to }, { chains, pageSize: query.pageSize }, context);
    },
  });
}

function listByAddress(names: RouteNames) {
  return dataRoute({
    ...COMMON,
    ...names,
    summary: "Messages that an address sent, and messages for it, newest first.",
    description: DESCRIPTION,
    params: Type.Object({ address: evmAddress("EVM address") }),
    query: Type.Object({ ...pageQuery(), ...networkQuery }),
    response,
    async handle({ params, query: { pageSize, network } }, context) {
      return answerOf({ party: parseEvmAddress(params.address) }, { chains: new IcmChains(context, network), pageSize }, context);
    },
  });
}

/** The filters of a list: blockchain IDs and addresses. */
interface Wanted {
  readonly source?: Id | undefined;
  readonly destination?: Id | undefined;
  /** source or destination */
  readonly either?: Id | undefined;
  readonly from?: Address | undefined;
  readonly to?: Address | undefined;
  /** sender or destination */
  readonly party?: Address | undefined;
}

interface Paging {
  readonly chains: IcmChains;
  readonly pageSize: number;
}

async function answerOf(wanted: Wanted, { chains, pageSize }: Paging, context: EvmChainsContext & { readonly reader: StoreReader }) {
  const matches = (message: LoadedMessage) => isWanted(message, wanted);
  const { messages, page } = await messagePage(listsFor(wanted, chains), { chains, pageSize, matches }, context);
  return {
    messages: await presentMessages(messages, { chains, reader: context.reader, isList: true }),
    ...(await readIndexedFrom(chains, context.reader)),
    ...page,
  };
}

function isWanted({ source, destination, content: { from, to } }: LoadedMessage, wanted: Wanted): boolean {
  const isAsked = (asked: string | undefined, ...values: readonly string[]) => asked === undefined || values.includes(asked);
  return (
    isAsked(wanted.source, source) &&
    isAsked(wanted.destination, destination) &&
    isAsked(wanted.either, source, destination) &&
    isAsked(wanted.from, from) &&
    isAsked(wanted.to, to) &&
    isAsked(wanted.party, from, to)
  );
}

/** The shortest lists that together have all wanted messages, and maybe others. */
function listsFor({ source, destination, either, from, to, party }: Wanted, chains: IcmChains): IcmListOfChain[] {
  const sending = chains.only(source);
  const receiving = chains.only(destination);
  if (party !== undefined) {
    return [
      ...lists(sending, "sentBy", party),
      ...lists(sending, "sentTo", party),
      ...lists(receiving, "receivedBy", party),
      ...lists(receiving, "receivedTo", party),
    ];
  }
  if (from !== undefined) return [...lists(sending, "sentBy", from), ...lists(receiving, "receivedBy", from)];
  if (to !== undefined) return [...lists(sending, "sentTo", to), ...lists(receiving, "receivedTo", to)];
  if (either !== undefined && source === undefined && destination === undefined) {
    const own = chains.only(either);
    return [
      ...lists(own, "sent"),
      ...lists(sending, "sentToChain", either),
      ...lists(own, "received"),
      ...lists(receiving, "receivedFromChain", either),
    ];
  }
  return [
    ...(destination === undefined ? lists(sending, "sent") : lists(sending, "sentToChain", destination)),
    ...(source === undefined ? lists(receiving, "received") : lists(receiving, "receivedFromChain", source)),
  ];
}

function lists(chains: readonly IcmChain[], kind: IcmListKind, party?: string): IcmListOfChain[] {
  return chains.map(({ evmChain }) => ({ evmChain, list: icmList(kind, party), isSent: kind.startsWith("sent") }));
}
