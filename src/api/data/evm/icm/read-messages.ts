/**
 * Joins the two sides of interchain messages, which are rows of two chains, and merges the chains' lists. A message is listed where it was
 * sent if that is known, else where it was received.
 */
import type { Id } from "../../../../base/bytes/id.ts";
import type { TableKey, TableValue } from "../../../../base/table/table.ts";
import { evmIcmLists, evmIcmMessages, evmIcmReceived, evmIcmSent } from "../../../../evm/index/icm-tables.ts";
import { evmTransactions } from "../../../../evm/index/tables.ts";
import type { StoreReader } from "../../../../store/store.ts";
import type { DataContext, Position } from "../../context.ts";
import type { EvmChain } from "../evm-chain.ts";
import type { IcmChains } from "./icm-chains.ts";

interface Side<R> {
  readonly evmChain: EvmChain;
  readonly row: R;
  readonly transaction: TableValue<typeof evmTransactions>;
}

/** A message with the sides that are known: one of them at least. */
export interface LoadedMessage {
  readonly messageId: Id;
  readonly content: TableValue<typeof evmIcmMessages>;
  readonly sent: Side<TableValue<typeof evmIcmSent>> | undefined;
  readonly received: Side<TableValue<typeof evmIcmReceived>> | undefined;
  /** blockchain IDs */
  readonly source: Id;
  readonly destination: Id;
}

/** Where a message was found. */
export interface FoundMessage {
  readonly messageId: Id;
  readonly evmChain: EvmChain;
  /** whether that chain sent it; else it received it */
  readonly isSent: boolean;
}

type SentRow = TableValue<typeof evmIcmSent>;
type ReceivedRow = TableValue<typeof evmIcmReceived>;
type Rows<R> = ReadonlyMap<FoundMessage, { readonly evmChain: EvmChain; readonly row: R }>;

/** Leaves out what is listed elsewhere: receptions of messages whose sending is known. Costs up to five rows a message, in a few reads. */
export async function loadMessages<F extends FoundMessage>(
  found: readonly F[],
  chains: IcmChains,
  reader: StoreReader,
): Promise<ReadonlyMap<F, LoadedMessage>> {
  const ownSent = await readSides(evmIcmSent, found, (each) => (each.isSent ? each.evmChain : undefined), reader);
  const ownReceived = await readSides(evmIcmReceived, found, (each) => (each.isSent ? undefined : each.evmChain), reader);
  const destinationOf = (each: FoundMessage) => chains.of(ownSent.get(each)?.row.destination ?? "");
  const sourceOf = (each: FoundMessage) => chains.of(ownReceived.get(each)?.row.source ?? "");
  const otherReceived = await readSides(evmIcmReceived, found, destinationOf, reader);
  const otherSent = await readSides(evmIcmSent, found, sourceOf, reader);
  const listed = found.filter((each) => (each.isSent ? ownSent.has(each) : ownReceived.has(each) && !otherSent.has(each)));
  const sent = await withTransactions(ownSent, listed, reader);
  const received = await withTransactions(new Map([...ownReceived, ...otherReceived]), listed, reader);
  const contents = await reader.getMany(
    evmIcmMessages,
    listed.map(({ evmChain: { chain }, isSent, messageId }) => ({ chain, isSent, messageId })),
  );
  const messages = listed.map((each, i): [F, LoadedMessage] => {
    const [from, to] = [sent.get(each), received.get(each)];
    const own = each.evmChain.settings.blockchainId!;
    const { messageId } = each;
    const [source, destination] = [to?.row.source ?? own, from?.row.destination ?? own];
    return [each, { messageId, content: contents[i]!, sent: from, received: to, source, destination }];
  });
  return new Map(messages);
}

async function readSides<T extends typeof evmIcmSent | typeof evmIcmReceived>(
  table: T,
  found: readonly FoundMessage[],
  chainOf: (each: FoundMessage) => EvmChain | undefined,
  reader: StoreReader,
): Promise<Rows<TableValue<T>>> {
  const asked = found.flatMap((each) => {
    const evmChain = chainOf(each);
    return evmChain === undefined ? [] : [{ each, evmChain }];
  });
  const keys = asked.map(({ each: { messageId }, evmChain: { chain } }) => ({ chain, messageId }) as TableKey<T>);
  const rows = keys.length === 0 ? [] : await reader.getMany(table, keys);
  return new Map(asked.flatMap(({ each, evmChain }, i) => (rows[i] === undefined ? [] : [[each, { evmChain, row: rows[i] }]])));
}

async function withTransactions<R extends SentRow | ReceivedRow>(sides: Rows<R>, listed: readonly FoundMessage[], reader: StoreReader) {
  const known = listed.flatMap((each) => {
    const side = sides.get(each);
    return side === undefined ? [] : [{ each, side }];
  });
  const keys = known.map(({ side: { evmChain, row } }) => ({ chain: evmChain.chain, height: row.height, index: row.index }));
  const transactions = keys.length === 0 ? [] : await reader.getMany(evmTransactions, keys);
  return new Map(known.map(({ each, side }, i): [FoundMessage, Side<R>] => [each, { ...side, transaction: transactions[i]! }]));
}

/** A list of one chain. */
export interface IcmListOfChain {
  readonly evmChain: EvmChain;
  /** see `icmList` */
  readonly list: string;
  readonly isSent: boolean;
}

/** Entries of lists that a page may read at most: it ends early after so many that it does not show. */
const MOST_EXAMINED = 1000;

interface Entry extends FoundMessage {
  readonly timestamp: bigint;
}

/** Messages of the lists that match, newest first, each once. */
export async function messagePage(
  lists: readonly IcmListOfChain[],
  { chains, pageSize, matches }: { readonly chains: IcmChains; readonly pageSize: number; matches(message: LoadedMessage): boolean },
  context: DataContext,
): Promise<{ readonly messages: LoadedMessage[]; readonly page: { nextPageToken?: string } }> {
  const { reader } = context;
  const shown: { readonly message: LoadedMessage; readonly at: Position }[] = [];
  let after = context.after && { timestamp: BigInt(context.after.timestamp!), messageId: String(context.after.messageId) };
  let examined = 0;
  // where few match, more are read at a time
  for (let count = pageSize + 1; ; count = Math.min(2 * count, MOST_EXAMINED - examined)) {
    const entries = await nextEntries(lists, after, count, reader);
    const loaded = await loadMessages(entries, chains, reader);
    for (const entry of entries) {
      const message = loaded.get(entry);
      const { messageId, timestamp } = entry;
      // two lists may have it
      if (message === undefined || message.messageId === shown.at(-1)?.message.messageId || !matches(message)) continue;
      shown.push({ message, at: { timestamp, messageId } });
    }
    examined += entries.length;
    after = entries.at(-1);
    if (shown.length > pageSize) return pageUpTo(shown.slice(0, pageSize), shown[pageSize - 1]!.at, context);
    if (after === undefined) return pageUpTo(shown, undefined, context);
    if (examined >= MOST_EXAMINED) return pageUpTo(shown, { timestamp: after.timestamp, messageId: after.messageId }, context);
  }
}

function pageUpTo(shown: readonly { readonly message: LoadedMessage }[], next: Position | undefined, context: DataContext) {
  return { messages: shown.map(({ message }) => message), page: context.nextPage(next) };
}

/** At least one entry unless the lists end, and about `count`, in order. Entries of one time and message follow each other. */
async function nextEntries(
  lists: readonly IcmListOfChain[],
  after: Pick<Entry, "timestamp" | "messageId"> | undefined,
  count: number,
  reader: StoreReader,
): Promise<Entry[]> {
  // most lists have few of the newest entries
  const limit = Math.min(count, Math.ceil((2 * count) / Math.max(1, lists.length)) + 1);
  const parts = await Promise.all(
    lists.map(async ({ evmChain, list, isSent }) => {
      const start = after && { after: { timestamp: after.timestamp, messageId: after.messageId } };
      const rows = await reader.scan(evmIcmLists, { prefix: { chain: evmChain.chain, list }, ...start, reverse: true, limit });
      return rows.map(({ key: { timestamp, messageId } }): Entry => ({ timestamp, messageId, evmChain, isSent }));
    }),
  );
  // what is behind the end of a list that goes on may come before entries of the others
  const ends = parts.flatMap((part) => (part.length === limit ? [part.at(-1)!] : []));
  const last = ends.reduce<Entry | undefined>((first, end) => (first === undefined || isBefore(end, first) ? end : first), undefined);
  return parts
    .flat()
    .filter((entry) => last === undefined || !isBefore(last, entry))
    .sort((a, b) => (isBefore(a, b) ? -1 : isBefore(b, a) ? 1 : 0));
}

/** Newest first, then by ID. */
function isBefore(a: Pick<Entry, "timestamp" | "messageId">, b: Pick<Entry, "timestamp" | "messageId">): boolean {
  return a.timestamp === b.timestamp ? a.messageId > b.messageId : a.timestamp > b.timestamp;
}
