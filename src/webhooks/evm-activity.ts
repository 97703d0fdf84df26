/**
 * Transactions of an EVM chain with watched addresses. An address takes part as sender, recipient, created contract, party of a transfer or of an
 * internal transaction, token, emitter of an event, or in an indexed parameter of one. A block costs the rows of its transactions and logs; how
 * many addresses are watched makes no difference.
 */

import type { EvmChain } from "../api/data/evm/evm-chain.ts";
import { presentLogs, readTransactionLogs } from "../api/data/evm/logs/log-pages.ts";
import type { EventLog } from "../api/data/evm/logs/log-schemas.ts";
import { type EvmReading, formatAddress, Tokens } from "../api/data/evm/present-token.ts";
import { type LoadedTransaction, partiesOf, presentFullTransaction } from "../api/data/evm/present-transaction.ts";
import { MOST_PARTS, mentionedInParts, type TransactionParts } from "../api/data/evm/transactions/transaction-parts.ts";
import type { EvmWebhook } from "../api/data/webhooks/webhook-desk.ts";
import type { CommittedState, EvmChainHeight } from "../api/state/committed-states.ts";
import type { Id } from "../base/bytes/id.ts";
import { ERC20, ERC721, ERC1155, type Transfer } from "../evm/facts.ts";
import type { StoredLog } from "../evm/index/list-rows.ts";
import { evmLogs } from "../evm/index/log-tables.ts";
import { allParts, type PartOfRow, readInternalParts, readTransferParts } from "../evm/index/read-parts.ts";
import { evmBlocks, evmTransactions, evmUpstreams } from "../evm/index/tables.ts";
import type { Address } from "../sources/evm/parser/block.ts";
import { type StoreReader, scanAll } from "../store/store.ts";
import type { ChainActivity, FoundEvent, Watch } from "./activity.ts";
import type { Webhook } from "./registry.ts";

/** bytes of logs' data in a message; beyond it they are cut, which the message says */
const MOST_LOG_BYTES = 4 << 20;
const LOG_PAGE = 1_000;

export async function evmActivity(evmChain: EvmChain, state: CommittedState): Promise<ChainActivity | undefined> {
  const tip = state.evmChains.find(({ evmChainId }) => evmChainId === evmChain.evmChainId);
  if (tip === undefined) return undefined;
  const head = (await state.reader.get(evmUpstreams, { chain: evmChain.chain }))?.headHeight ?? 0n;
  return new EvmActivity({ reader: state.reader, evmChain }, tip, head);
}

/** A transaction with everything that decides who is told of it. */
interface Touching {
  readonly loaded: LoadedTransaction;
  /** of the block, up to this transaction */
  readonly cumulativeGas: bigint;
  readonly parts: TransactionParts;
  readonly logs: readonly StoredLog[];
}

class EvmActivity implements ChainActivity {
  readonly tip: EvmChainHeight;
  readonly head: bigint;
  readonly #reading: EvmReading;

  constructor(reading: EvmReading, tip: EvmChainHeight, head: bigint) {
    this.#reading = reading;
    this.tip = tip;
    this.head = head;
  }

  async hashAt(height: bigint): Promise<Id | undefined> {
    return (await this.#block(height))?.hash;
  }

  async eventsOf(height: bigint, watch: Watch): Promise<FoundEvent[]> {
    const transactions = await this.#touchings(height);
    const touched = transactions.map((transaction) => addressesOf(transaction));
    const watchers = await watch.watchersOf(new Set(touched.flatMap((addresses) => [...addresses])));
    if (watchers.size === 0) return [];
    const events: FoundEvent[] = [];
    for (const [i, transaction] of transactions.entries()) {
      const asking = new Set([...touched[i]!].flatMap((address) => watchers.get(address) ?? []));
      const told = inOrder(asking).filter((webhook) => hasSignature(webhook, transaction, watchers));
      if (told.length > 0) events.push(...(await this.#present(transaction, told)));
    }
    return events;
  }

  #block(height: bigint) {
    const { reader, evmChain } = this.#reading;
    return reader.get(evmBlocks, { chain: evmChain.chain, height });
  }

  async #touchings(height: bigint): Promise<Touching[]> {
    const block = await this.#block(height);
    if (block === undefined || block.txCount === 0) return [];
    const { reader, evmChain } = this.#reading;
    const prefix = { chain: evmChain.chain, height };
    const logs = new Map<number, StoredLog[]>();
    for await (const { key, value } of scanAll(reader, evmLogs, prefix)) {
      logs.set(key.index, [...(logs.get(key.index) ?? []), ...value.logs]);
    }
    const loaded: LoadedTransaction[] = [];
    for await (const { key, value: row } of scanAll(reader, evmTransactions, prefix))
      loaded.push({ place: { height, index: key.index }, row, block });
    const [transfers, internals] = await Promise.all([
      this.#parts(loaded, "transfers", readTransferParts),
      this.#parts(loaded, "internals", readInternalParts),
    ]);
    let cumulativeGas = 0n;
    return loaded.map((transaction, i) => {
      cumulativeGas += transaction.row.gasUsed;
      const parts = { transfers: transfers[i]!, internals: internals[i]! };
      return { loaded: transaction, cumulativeGas, parts, logs: logs.get(transaction.place.index) ?? [] };
    });
  }

  /** Reads the parts of all transactions at once: most have theirs in their own row. */
  async #parts<T>(
    transactions: readonly LoadedTransaction[],
    kind: "transfers" | "internals",
    read: (reader: StoreReader, chain: number, parts: readonly PartOfRow[]) => Promise<T[][]>,
  ): Promise<T[][]> {
    const { reader, evmChain } = this.#reading;
    const wanted = transactions.map(({ place, row }) => (row[kind] === 0 ? [] : allParts(place, row, Math.min(row[kind], MOST_PARTS))));
    const found = await read(reader, evmChain.chain, wanted.flat());
    let next = 0;
    return wanted.map(({ length }) => {
      const own = found
        .slice(next, next + length)
        .flat()
        .slice(0, MOST_PARTS);
      next += length;
      return own;
    });
  }

  async #present(touching: Touching, webhooks: readonly Webhook[]): Promise<FoundEvent[]> {
    const { loaded, parts } = touching;
    const settings = webhooks.map((webhook) => webhook.settings as EvmWebhook);
    const { addresses, nfts } = mentionedInParts([parts]);
    const tokens = await Tokens.read({ addresses: [...partiesOf([loaded]), ...addresses], nfts }, this.#reading);
    const transaction = await this.#transaction(touching, tokens);
    const internalTransactions = settings.some(({ includeInternalTxs }) => includeInternalTxs) ? internalsOf(loaded, parts) : [];
    const logs = settings.some(({ includeLogs }) => includeLogs) ? await this.#logs(loaded) : undefined;
    return webhooks.map((webhook, i) => {
      const { includeInternalTxs, includeLogs } = settings[i]!;
      return {
        webhook,
        event: {
          transaction: { ...transaction, ...(includeInternalTxs && { internalTransactions }) },
          ...(includeLogs && logs),
        },
      };
    });
  }

  /** In the form of the SDKs' `Transaction` of a webhook, whose `to` alone is in lower case. */
  async #transaction({ loaded, cumulativeGas, parts }: Touching, tokens: Tokens) {
    const { evmChain } = this.#reading;
    const { place, row, block } = loaded;
    const { input } = await presentFullTransaction(loaded, tokens, this.#reading);
    const { name, symbol, decimals } = evmChain.settings.nativeToken;
    const price = `${row.maxFeePerGas ?? row.gasPrice}`;
    const transfers = (kind: number) => parts.transfers.filter((one) => one.kind === kind).map((one) => transferOf(one, loaded, tokens));
    return {
      blockHash: `0x${block.hash}`,
      blockNumber: `${place.height}`,
      blockTimestamp: Number(block.timestamp),
      from: formatAddress(row.from),
      gas: `${row.gasLimit}`,
      gasPrice: price,
      maxFeePerGas: price,
      maxPriorityFeePerGas: `${row.maxPriorityFeePerGas ?? row.gasPrice}`,
      txHash: `0x${row.hash}`,
      txStatus: row.isSuccess ? "1" : "0",
      input,
      nonce: `${row.nonce}`,
      to: row.isCreation ? "" : `0x${row.to}`,
      ...(row.isCreation && { contractAddress: formatAddress(row.to) }),
      transactionIndex: place.index,
      value: `${row.value}`,
      type: row.type,
      chainId: `${evmChain.evmChainId}`,
      receiptCumulativeGasUsed: `${cumulativeGas}`,
      receiptGasUsed: `${row.gasUsed}`,
      receiptEffectiveGasPrice: `${row.gasPrice}`,
      // the index does not keep it
      receiptRoot: "",
      erc20Transfers: transfers(ERC20),
      erc721Transfers: transfers(ERC721),
      erc1155Transfers: transfers(ERC1155),
      networkToken: {
        tokenName: name,
        tokenSymbol: symbol,
        tokenDecimals: decimals,
        valueWithDecimals: decimalText(row.value, decimals),
      },
    };
  }

  async #logs({ place, row: { hash } }: LoadedTransaction) {
    const logs: EventLog[] = [];
    let bytes = 0;
    let after: Parameters<typeof readTransactionLogs>[1]["after"];
    do {
      const page = await readTransactionLogs(place, { pageSize: LOG_PAGE, after }, this.#reading);
      bytes += page.logs.reduce((sum, { log }) => sum + log.data.length, 0);
      logs.push(...(await presentLogs(page.logs, this.#reading)));
      after = page.next;
    } while (after !== undefined && bytes < MOST_LOG_BYTES);
    return {
      logs: logs.map(({ address, topics, data, txIndex, logIndex }) => ({
        address,
        ...Object.fromEntries(topics.map((topic, i) => [`topic${i}`, topic])),
        // the SDKs' type requires it of logs without topics, too
        ...(topics.length === 0 && { topic0: "" }),
        data,
        transactionIndex: txIndex,
        logIndex,
        transactionHash: `0x${hash}`,
        removed: false,
      })),
      ...(after !== undefined && { logsTruncated: true }),
    };
  }
}

/** An address in an indexed parameter. Small numbers are no addresses that anybody watches. */
function addressInTopic(topic: string): Address | undefined {
  return topic.startsWith("0".repeat(24)) && !topic.startsWith("0".repeat(48)) ? topic.slice(24) : undefined;
}

function addressesIn({ address, topics }: StoredLog): Address[] {
  return [address, ...topics.slice(1).flatMap((topic) => addressInTopic(topic) ?? [])];
}

function addressesOf({ loaded: { row }, parts: { transfers, internals }, logs }: Touching): Set<Address> {
  return new Set([
    row.from,
    row.to,
    ...transfers.flatMap(({ token, from, to }) => [token, from, to]),
    ...internals.flatMap(({ from, to }) => [from, to]),
    ...logs.flatMap(addressesIn),
  ]);
}

function inOrder(webhooks: Iterable<Webhook>): Webhook[] {
  return [...webhooks].sort((a, b) => a.number - b.number);
}

/** Whether an event of a signature that the webhook names has an address that it watches. */
function hasSignature({ number, settings }: Webhook, { logs }: Touching, watchers: ReadonlyMap<string, readonly Webhook[]>): boolean {
  const { eventSignatures } = settings;
  if (eventSignatures.length === 0) return true;
  const isWatched = (address: Address) => watchers.get(address)?.some((webhook) => webhook.number === number);
  return logs.some((log) => eventSignatures.includes(`0x${log.topics[0] ?? ""}`) && addressesIn(log).some(isWatched));
}

function transferOf(transfer: Transfer, { row, block }: LoadedTransaction, tokens: Tokens) {
  const { kind, from, to, token, value, tokenId, logIndex } = transfer;
  const name = kind === ERC20 ? "erc20" : kind === ERC721 ? "erc721" : "erc1155";
  const { name: called = "", symbol = "", decimals = 0 } = tokens.address(token);
  const erc =
    kind === ERC20 ? { decimals, valueWithDecimals: decimalText(value, decimals) } : { decimals: 0, valueWithDecimals: `${value}` };
  return {
    transactionHash: `0x${row.hash}`,
    type: name.toUpperCase(),
    from: formatAddress(from),
    to: formatAddress(to),
    value: `${value}`,
    ...(kind !== ERC20 && { tokenId: `${tokenId}` }),
    blockTimestamp: Number(block.timestamp),
    logIndex,
    [`${name}Token`]: { address: formatAddress(token), name: called, symbol, ...erc },
  };
}

function internalsOf({ row }: LoadedTransaction, { internals }: TransactionParts) {
  return internals.map(({ from, to, type, value, gasUsed, gasLimit }) => ({
    from: formatAddress(from),
    to: formatAddress(to),
    internalTxType: type,
    value: `${value}`,
    gasUsed: `${gasUsed}`,
    gasLimit: `${gasLimit}`,
    transactionHash: `0x${row.hash}`,
  }));
}

/** `1.5` for 15 with one decimal. */
export function decimalText(value: bigint, decimals: number): string {
  const digits = `${value}`.padStart(decimals + 1, "0");
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, "");
  return fraction === "" ? whole : `${whole}.${fraction}`;
}
