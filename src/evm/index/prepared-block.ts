/**
 * A block whose own rows are made and encoded already, as another thread hands it over: flat memory, since copying objects between threads
 * costs as much as making them.
 */

import { bool, type Codec, fixedHex, list, optional, struct, u8, u32, u64, type Value } from "../../base/codec/codec.ts";
import type { Reader, Writer } from "../../base/codec/reader.ts";
import { integer256, shortBytes, signedInteger } from "../../base/codec/varint.ts";
import { FirnError } from "../../base/errors/errors.ts";
import { id, shortId, type TableValue } from "../../base/table/table.ts";
import type { Address } from "../../sources/evm/parser/block.ts";
import type { RowEncoder } from "../../store/encoded-rows.ts";
import { type EvmFacts, ICM_EVENTS, type IcmEventKind, type TransferKind } from "../facts.ts";
import { writeBlockRows } from "./block-rows.ts";
import { BlockWriter, type RowTarget } from "./block-writer.ts";
import { evmIcmMessages } from "./icm-tables.ts";
import { type BlockSummary, summaryOf } from "./list-rows.ts";
import { evmBlocks } from "./tables.ts";

export interface PreparedBlock {
  readonly summary: BlockSummary;
  /** the row of the block, with a `cumulativeTransactions` that does not count */
  readonly row: TableValue<typeof evmBlocks>;
}

/** 0 stands for no kind. */
const kind = u8 as Codec<TransferKind>;
const optionalKind: Codec<TransferKind | undefined> = {
  decode: (reader) => (reader.u8() || undefined) as TransferKind | undefined,
  encode: (writer, value) => writer.u8(value ?? 0),
  json: (value) => `${value ?? 0}`,
};

const icmKind: Codec<IcmEventKind> = {
  decode: (reader) => ICM_EVENTS[reader.u8()]!,
  encode: (writer, value) => writer.u8(ICM_EVENTS.indexOf(value)),
  json: (value) => `"${value}"`,
};

const summary = struct({
  height: u64,
  hash: id,
  parentHash: id,
  timestamp: u64,
  hasTraces: bool,
  transactions: u32,
  logs: u32,
  tokens: list(struct({ token: shortId, kind: optionalKind, isWrapped: bool, isClassed: bool })),
  deployments: list(struct({ index: u32, contract: shortId, deployer: shortId, factory: optional(shortId) })),
  destroyed: list(shortId),
  balances: list(struct({ holder: shortId, kind, token: shortId, tokenId: id, change: signedInteger })),
  owners: list(struct({ token: shortId, tokenId: id, owner: optional(shortId) })),
  transfers: list(struct({ token: shortId, count: u32 })),
  lists: list(struct({ list: fixedHex(10), entries: shortBytes })),
  metrics: struct({
    milliseconds: u64,
    gasUsed: signedInteger,
    feesPaid: signedInteger,
    gasPrices: signedInteger,
    maxGasPrice: signedInteger,
    senders: list(shortId),
    receivers: list(shortId),
  }),
  icm: list(
    struct({
      kind: icmKind,
      index: u32,
      messenger: shortId,
      messageId: id,
      peer: id,
      feeToken: shortId,
      fee: integer256,
      deliverer: shortId,
      rewardRedeemer: shortId,
      message: optional(struct(evmIcmMessages.value)),
    }),
  ),
});

const row = struct(evmBlocks.value);

/** Makes the rows that the block alone determines, and appends the rest of what the index needs to `writer`. */
export function prepareBlock(facts: EvmFacts, chain: number, rows: RowEncoder, writer: Writer): void {
  let own: TableValue<typeof evmBlocks> | undefined;
  const target: RowTarget = {
    writeUnread(table, key, value) {
      if ((table.id as number) === evmBlocks.id) own = value as unknown as TableValue<typeof evmBlocks>;
      else rows.add(table, key, value);
    },
    get: refuseState,
    put: refuseState,
    delete: refuseState,
  };
  writeBlockRows(new BlockWriter(target, undefined), chain, facts, 0n);
  const { holdings, ...rest } = summaryOf(facts);
  const transfers = [...holdings.transfers].map(([token, count]) => ({ token, count }));
  summary.encode(writer, { ...rest, ...holdings, transfers } as unknown as Value<typeof summary>);
  row.encode(writer, own!);
}

export function readPrepared(reader: Reader): PreparedBlock {
  const { balances, owners, transfers, ...rest } = summary.decode(reader);
  const counts = new Map<Address, number>(transfers.map(({ token, count }) => [token, count]));
  return { summary: { ...rest, holdings: { balances, owners, transfers: counts } }, row: row.decode(reader) };
}

function refuseState(): never {
  throw new FirnError("evm-rows", "the rows of a block cannot depend on the state of the index");
}
