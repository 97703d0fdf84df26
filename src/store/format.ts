/** The network that a store holds and the version of its tables, held against what the caller expects. */

import { EMPTY_ID, type Id } from "../base/bytes/id.ts";
import { FirnError } from "../base/errors/errors.ts";
import type { Change, TableValue } from "../base/table/table.ts";
import { storeFormat } from "./tables.ts";

/** Increased with every change of a table's layout or meaning; `firn reindex` rebuilds older stores. */
export const STORE_FORMAT = 6;
/** The format since which the tables of EVM chains have not changed. Their rows cannot be rebuilt, since Firn does not keep the blocks. */
export const EVM_STORE_FORMAT = 4;

/** The network that a store must hold. */
export interface StoreIdentity {
  readonly networkId: number;
  readonly genesisId: Id;
}

function formatOf({ genesisId }: Pick<StoreIdentity, "genesisId">): number {
  return genesisId === EMPTY_ID ? EVM_STORE_FORMAT : STORE_FORMAT;
}

/** The row that assigns an empty store to a network; part of the genesis commit. */
export function formatChange(network: StoreIdentity, version = formatOf(network)): Change {
  const value = { version, networkId: network.networkId, genesisId: network.genesisId };
  return { table: storeFormat, key: { slot: 0 }, value } as Change;
}

/** The version of a store into which `firn copy` has yet to write rows; no version of Firn reads it. */
const UNFINISHED_COPY = 0xff_ff_ff_ff;

/** Assigns a store to a network until all of its rows are copied. */
export function unfinishedChange(network: StoreIdentity): Change {
  return formatChange(network, UNFINISHED_COPY);
}

export interface ExpectedFormat {
  /** only `firn copy` goes on with what it left, and with nothing else */
  readonly isUnfinishedCopy?: boolean | undefined;
  /** refuse a store of another network */
  readonly network?: StoreIdentity | undefined;
  /** only `firn reindex` reads older formats */
  readonly acceptsOlderFormat?: boolean | undefined;
}

/** The store's name in sentences, and the option that chooses another. */
interface NamedPlace {
  readonly name: string;
  readonly option: "--data-dir" | "--store";
}

export function checkFormat(
  format: TableValue<typeof storeFormat> | undefined,
  { network, acceptsOlderFormat, isUnfinishedCopy }: ExpectedFormat,
  { name: directory, option }: NamedPlace,
): void {
  if (format === undefined) return;
  if (network !== undefined && format.genesisId === EMPTY_ID) {
    throw new FirnError("store-network", `${directory} holds EVM chains without a primary network; use another ${option}`, { directory });
  }
  if (network !== undefined && (format.networkId !== network.networkId || format.genesisId !== network.genesisId)) {
    throw new FirnError(
      "store-network",
      `${directory} holds network ${format.networkId} (genesis ${format.genesisId.slice(0, 8)}…), not network ${network.networkId} ` +
        `(genesis ${network.genesisId.slice(0, 8)}…); use another ${option}`,
      { directory, found: format.networkId, expected: network.networkId },
    );
  }
  if (isUnfinishedCopy && format.version !== UNFINISHED_COPY) {
    throw new FirnError("store-not-empty", `${directory} holds a whole store already; copy into an empty one`, { directory });
  }
  if (isUnfinishedCopy) return;
  if (format.version === UNFINISHED_COPY) {
    throw new FirnError("store-unfinished", `${directory} is an unfinished copy; run the same firn copy again, or use another ${option}`, {
      directory,
    });
  }
  if (format.version > STORE_FORMAT) {
    throw new FirnError(
      "store-newer",
      `${directory} has store format ${format.version}, this version of Firn supports up to ${STORE_FORMAT}; use a newer Firn`,
      {
        directory,
        version: format.version,
      },
    );
  }
  const needed = formatOf(format);
  if (format.version < needed && !acceptsOlderFormat) {
    const isRebuilt = format.genesisId !== EMPTY_ID;
    const wayOut = isRebuilt
      ? `rebuild it with: firn reindex ${option} ${directory}`
      : `it holds only EVM chains, whose blocks Firn does not keep; index them again from their nodes with firn follow and an empty ${option}`;
    throw new FirnError("store-older", `${directory} has store format ${format.version}, this version of Firn needs ${needed}; ${wayOut}`, {
      directory,
      version: format.version,
    });
  }
}
