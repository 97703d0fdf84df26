/** Pages of completed and removed validations, in order of (height, transaction) or (fee, height, transaction). */
import { type Id, type NodeId, PRIMARY_NETWORK_ID } from "../../../base/bytes/id.ts";
import type { Row } from "../../../base/table/table.ts";
import type { StoreReader } from "../../../store/store.ts";
import { mergedScan } from "../../merged-scan.ts";
import { feeIntervalScope, feeIntervalsBetween, feeOrderScope, MAX_SHARES, pastValidationScope } from "./staking-scope.ts";
import { COMPLETED, pastValidations, pastValidationsByFee } from "./staking-tables.ts";
import type { ListPlace } from "./validation-snapshot.ts";

/** Bounds of the validator's part of delegators' rewards, both included. */
export interface FeeBounds {
  readonly low: number;
  readonly high: number;
}

interface PastPage {
  /** `COMPLETED`, `REMOVED` or both */
  readonly statuses: readonly number[];
  readonly subnetId: Id | undefined;
  /** undefined: all */
  readonly nodeIds: ReadonlySet<NodeId> | undefined;
  /** only completed validations of the primary network have a fee */
  readonly fees: FeeBounds | undefined;
  /** sort by fee; needs `subnetId` to be the primary network */
  readonly isByFee: boolean;
  readonly after: ListPlace | undefined;
  readonly isDescending: boolean;
  readonly limit: number;
}

type Item = ListPlace & { readonly nodeId: NodeId };
type ReadPage = (nodes: readonly (NodeId | undefined)[] | undefined, after: ListPlace | undefined, limit: number) => Promise<Item[]>;

/** Ranges of at most this many nodes are always merged. */
const FEW_NODES = 32;
/** Above this number of nodes × fee intervals, the nodes' ranges are merged instead, and rows with other fees are skipped. */
const MOST_RANGES = 4096;

/**
 * Reads O(limit + ranges) rows. Each of n named nodes has a range for each status, or for each interval of the fee (at most 30 in each of
 * five levels, mostly about 40 in all). For many nodes, the list of all nodes is read first, up to one row per node, since a page is often
 * found there sooner. So at most 3 × nodes + limit rows are read, far fewer for common fragments of node IDs. Only with fee bounds and more
 * than a hundred nodes may it read more: rows of these nodes with other fees.
 */
export async function pastPage(reader: StoreReader, page: PastPage): Promise<Item[]> {
  const { nodeIds, limit, after } = page;
  if (page.statuses.length === 0 || limit === 0 || nodeIds?.size === 0) return [];
  const read = page.isByFee ? byFee(reader, page) : byHeight(reader, page);
  if (nodeIds === undefined) return read(undefined, after, limit);
  const nodes = [...nodeIds];
  if (nodes.length <= FEW_NODES) return read(nodes, after, limit);
  const found: Item[] = [];
  let last = after;
  for (let [budget, size] = [nodes.length, 4 * limit]; budget > 0; budget -= size, size *= 2) {
    const chunk = Math.min(budget, size);
    const rows = await read(undefined, last, chunk);
    found.push(...rows.filter(({ nodeId }) => nodeIds.has(nodeId)));
    last = rows.at(-1) ?? last;
    if (found.length >= limit) return found.slice(0, limit);
    if (rows.length < chunk) return found;
  }
  return [...found, ...(await read(nodes, last, limit - found.length))];
}

function byHeight(reader: StoreReader, { statuses, subnetId, fees, isDescending: reverse }: PastPage): ReadPage {
  const hasNone = fees !== undefined && (!statuses.includes(COMPLETED) || (subnetId ?? PRIMARY_NETWORK_ID) !== PRIMARY_NETWORK_ID);
  if (hasNone) return async () => [];
  const intervals = fees && feeIntervalsBetween(fees.low, fees.high);
  return async (nodes = [undefined], after, limit) => {
    const ofNodes = (scopesOf: (nodeId: NodeId | undefined) => string[]) => nodes.flatMap(scopesOf).map((scope) => ({ scope }));
    const bounds = { ...(after && { after: { height: after.height, txId: after.txId } }), reverse, limit };
    const scan = () => {
      if (intervals === undefined) {
        return { prefixes: ofNodes((nodeId) => statuses.map((status) => pastValidationScope(status, { subnetId, nodeId }))), ...bounds };
      }
      if (nodes.length * intervals.length <= MOST_RANGES) {
        return { prefixes: ofNodes((nodeId) => intervals.map((interval) => feeIntervalScope(interval, nodeId))), ...bounds };
      }
      return {
        prefixes: ofNodes((nodeId) => [pastValidationScope(COMPLETED, { subnetId: PRIMARY_NETWORK_ID, nodeId })]),
        accepts: ({ value: { shares } }: Row<typeof pastValidations>) => shares >= fees!.low && shares <= fees!.high,
        ...bounds,
      };
    };
    const rows = await mergedScan(reader, pastValidations, scan());
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

function itemOf({ key, value }: { key: { height: bigint; txId: Id }; value: { nodeId: NodeId } }, figure: bigint): Item {
  return { figure, height: key.height, txId: key.txId, nodeId: value.nodeId };
}
