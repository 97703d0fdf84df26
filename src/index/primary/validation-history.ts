/** Pages of completed and removed validations, in order of (height, transaction) or (fee, height, transaction). */
import { type Id, type NodeId, PRIMARY_NETWORK_ID } from "../../primitives/id.ts";
import type { Row } from "../../primitives/table.ts";
import type { StoreReader } from "../../store/store.ts";
import { mergedScan } from "../merged-scan.ts";
import { feeIntervalScope, feeIntervalsBetween, feeOrderScope, MAX_SHARES, pastValidationScope } from "./staking-scope.ts";
import { COMPLETED, pastValidations, pastValidationsByFee } from "./staking-tables.ts";
import type { ListPlace } from "./validation-snapshot.ts";

/** Shares of delegators' rewards, both included. */
export interface FeeBounds {
  readonly low: number;
  readonly high: number;
}

export interface PastPage {
  /** `COMPLETED`, `REMOVED` or both */
  readonly statuses: readonly number[];
  readonly subnetId: Id | undefined;
  /** undefined: all */
  readonly nodeIds: ReadonlySet<NodeId> | undefined;
  /** how many nodes there are */
  readonly nodeCount: number;
  /** only completed ones of the primary network have a fee */
  readonly fees: FeeBounds | undefined;
  /** in order of the fee: needs `subnetId` to be the primary network */
  readonly isByFee: boolean;
  readonly after: ListPlace | undefined;
  readonly isDescending: boolean;
  readonly limit: number;
}

type Item = ListPlace & { readonly nodeId: NodeId };
type ReadPage = (nodes: readonly NodeId[] | undefined, after: ListPlace | undefined, limit: number) => Promise<Item[]>;

/** So few ranges are merged without a thought. */
const FEW_RANGES = 32;

/**
 * Reads O(limit + ranges) rows. Nodes are ranges: of n named nodes, n ranges (times those of the fee: 30 per level of five at most, mostly
 * about 40). When they are many, the list of all nodes is read first, as many rows as there are ranges, since it often holds a page of them
 * sooner: so at most 3 × ranges + limit rows are read, for common fragments of node IDs far fewer.
 */
export async function pastPage(reader: StoreReader, page: PastPage): Promise<Item[]> {
  const { nodeIds, nodeCount, limit, after } = page;
  if (page.statuses.length === 0 || limit === 0 || nodeIds?.size === 0) return [];
  const read = page.isByFee ? byFee(reader, page) : byHeight(reader, page);
  if (nodeIds === undefined || nodeIds.size === nodeCount) return read(undefined, after, limit);
  const nodes = [...nodeIds];
  if (nodes.length <= FEW_RANGES) return read(nodes, after, limit);
  const found: Item[] = [];
  let last = after;
  for (let budget = nodes.length; budget > 0; ) {
    const chunk = Math.min(budget, 4 * limit);
    const rows = await read(undefined, last, chunk);
    budget -= chunk;
    found.push(...rows.filter(({ nodeId }) => nodeIds.has(nodeId)));
    last = rows.at(-1) ?? last;
    if (found.length >= limit) return found.slice(0, limit);
    if (rows.length < chunk) return found;
  }
  return [...found, ...(await read(nodes, last, limit - found.length))];
}

function byHeight(reader: StoreReader, { statuses, subnetId, fees, isDescending: reverse }: PastPage): ReadPage {
  if (fees !== undefined && subnetId !== undefined && subnetId !== PRIMARY_NETWORK_ID) return async () => [];
  const scopesOf = (nodeId: NodeId | undefined): string[] => {
    if (fees === undefined) return statuses.map((status) => pastValidationScope(status, { subnetId, nodeId }));
    if (!statuses.includes(COMPLETED)) return [];
    return feeIntervalsBetween(fees.low, fees.high).map((interval) => feeIntervalScope(interval, nodeId));
  };
  return async (nodes, after, limit) => {
    const rows = await mergedScan(reader, pastValidations, {
      prefixes: (nodes ?? [undefined]).flatMap(scopesOf).map((scope) => ({ scope })),
      ...(after && { after: { height: after.height, txId: after.txId } }),
      reverse,
      limit,
    });
    return rows.map((row) => itemOf(row, 0n));
  };
}

function byFee(reader: StoreReader, { statuses, fees, isDescending: reverse }: PastPage): ReadPage {
  const { low, high } = fees ?? { low: 0, high: MAX_SHARES };
  return async (nodes, after, limit) => {
    if (!statuses.includes(COMPLETED)) return [];
    const rows = await mergedScan(reader, pastValidationsByFee, {
      prefixes: (nodes ?? [undefined]).map((nodeId) => ({ scope: feeOrderScope(nodeId) })),
      from: { shares: reverse ? high : low },
      ...(!(reverse && low === 0) && { until: { shares: reverse ? low - 1 : high + 1 } }),
      ...(after && { after: { shares: Number(after.figure), height: after.height, txId: after.txId } }),
      reverse,
      limit,
    });
    return rows.map((row) => itemOf(row, BigInt(row.key.shares)));
  };
}

function itemOf({ key, value }: Row<typeof pastValidations>, figure: bigint): Item {
  return { figure, height: key.height, txId: key.txId, nodeId: value.nodeId };
}
