/** Query parameters of the list of validators, and the filter that they make. */

import Type, { type Static } from "typebox";
import { parseNodeId } from "../../../base/bytes/cb58.ts";
import { type Id, type NodeId, PRIMARY_NETWORK_ID } from "../../../base/bytes/id.ts";
import { TextError } from "../../../base/errors/text-error.ts";
import type { StakingNodes } from "../../../index/primary/staking/staking-nodes.ts";
import { MAX_SHARES } from "../../../index/primary/staking/staking-scope.ts";
import { ACTIVE, COMPLETED, PENDING, REMOVED } from "../../../index/primary/staking/staking-tables.ts";
import type { FeeBounds } from "../../../index/primary/staking/validation-history.ts";
import type { DataContext } from "../context.ts";
import { badRequest } from "../errors.ts";
import { cb58Id, parseIdParam, shown } from "../ids.ts";
import { csv, pageQuery, sortQuery, splitCsv } from "../paging.ts";

export const STATUSES = { pending: PENDING, active: ACTIVE, completed: COMPLETED, removed: REMOVED } as const;
type StatusName = keyof typeof STATUSES;

export const statusParam = Type.Optional(
  Type.Union([Type.Literal("completed"), Type.Literal("active"), Type.Literal("pending"), Type.Literal("removed")], {
    description: "By default all. The status follows the chain's state: in the pending set, in the current set, or in neither.",
  }),
);

const MAX_CAPACITY = 720_000_000_000_000_000n;
const MAX_SECONDS = 2_147_483_647;
/** All numbers up to `MAX_CAPACITY`, as a pattern, so that the OpenAPI document says exactly what is accepted. */
const CAPACITY_TEXT = "^([0-9]{1,17}|[0-6][0-9]{17}|7[01][0-9]{16}|720{16})$";
const capacityBound = (description: string) =>
  Type.Optional(Type.String({ title: `nAVAX from 0 to ${MAX_CAPACITY}`, pattern: CAPACITY_TEXT, description }));
const secondsBound = (description: string) => Type.Optional(Type.Integer({ minimum: 0, maximum: MAX_SECONDS, description }));
const feeBound = (description: string) => Type.Optional(Type.Number({ minimum: 2, maximum: 100, description }));
const uptimeBound = (description: string) => Type.Optional(Type.Number({ minimum: 0, maximum: 100, description }));

const HIDES = "Hides validators that have none.";

export const validatorQuery = Type.Object({
  ...pageQuery(),
  ...sortQuery,
  nodeIds: Type.Optional(csv("Node IDs, or parts of them: a validator is listed if its `NodeID-…` contains one. At most 64.")),
  sortBy: Type.Optional(
    Type.Union(
      [
        Type.Literal("blockIndex"),
        Type.Literal("delegationCapacity"),
        Type.Literal("timeRemaining"),
        Type.Literal("delegationFee"),
        Type.Literal("uptimePerformance"),
      ],
      {
        description:
          "By default `blockIndex`, the height of the staking transaction. `delegationFee` needs `subnetId` to be the primary network. The hosted " +
          "API accepts `delegationFee` on mainnet only, so it is refused on Fuji; networks of your own accept it. Validators without the figure " +
          "come last in both orders. Equal ones are in order of height and transaction. If a capacity changes between two pages, its validator " +
          "may be on both or on none.",
      },
    ),
  ),
  validationStatus: statusParam,
  minDelegationCapacity: capacityBound(`nAVAX, up to ${MAX_CAPACITY}; 0 if only the other bound is sent. ${HIDES}`),
  maxDelegationCapacity: capacityBound(`nAVAX, up to ${MAX_CAPACITY}; this maximum if only the other bound is sent. ${HIDES}`),
  minTimeRemaining: secondsBound(`Seconds; 0 if only the other bound is sent. ${HIDES}`),
  maxTimeRemaining: secondsBound(`Seconds; ${MAX_SECONDS} if only the other bound is sent. ${HIDES}`),
  minFeePercentage: feeBound("2 if only the other bound is sent. Hides validators of subnets: they have no fee."),
  maxFeePercentage: feeBound("100 if only the other bound is sent. Hides validators of subnets: they have no fee."),
  minUptimePerformance: uptimeBound(`Percent; 90 if only the other bound is sent. ${HIDES}`),
  maxUptimePerformance: uptimeBound(`Percent; 100 if only the other bound is sent. ${HIDES}`),
  subnetId: Type.Optional(cb58Id("Only validators of this subnet; by default of all")),
});
export type ValidatorQuery = Static<typeof validatorQuery>;
export type SortBy = NonNullable<ValidatorQuery["sortBy"]>;

/** Both bounds are included. */
interface Bounds<T> {
  readonly low: T;
  readonly high: T;
}

export interface ValidatorFilter {
  readonly statuses: ReadonlySet<number>;
  readonly subnetId: Id | undefined;
  /** undefined: all */
  readonly nodeIds: ReadonlySet<NodeId> | undefined;
  readonly capacity: Bounds<bigint> | undefined;
  /** Unix seconds */
  readonly secondsLeft: Bounds<number> | undefined;
  readonly fees: FeeBounds | undefined;
  readonly uptime: Bounds<number> | undefined;
}

export async function validatorFilter(query: ValidatorQuery, nodes: StakingNodes, context: DataContext): Promise<ValidatorFilter> {
  const capacity = boundsOf(
    "DelegationCapacity",
    capacityOf(query.minDelegationCapacity),
    capacityOf(query.maxDelegationCapacity),
    0n,
    MAX_CAPACITY,
  );
  const secondsLeft = boundsOf("TimeRemaining", query.minTimeRemaining, query.maxTimeRemaining, 0, MAX_SECONDS);
  const fees = boundsOf("FeePercentage", query.minFeePercentage, query.maxFeePercentage, 2, 100);
  const uptime = boundsOf("UptimePerformance", query.minUptimePerformance, query.maxUptimePerformance, 90, 100);
  return {
    statuses: statusesOf(query.validationStatus),
    subnetId: query.subnetId === undefined ? undefined : parseIdParam("subnetId", query.subnetId),
    nodeIds: query.nodeIds === undefined ? undefined : await matchingNodes(query.nodeIds, nodes, context),
    ...{ capacity, secondsLeft, uptime },
    fees: fees && { low: Math.ceil(sharesOf(fees.low)), high: fees.high === 100 ? MAX_SHARES : Math.floor(sharesOf(fees.high)) },
  };
}

export function statusesOf(status: StatusName | undefined): ReadonlySet<number> {
  return new Set(status === undefined ? Object.values(STATUSES) : [STATUSES[status]]);
}

const FUJI_NETWORK_ID = 5;

export function sortOf(
  { sortBy = "blockIndex" }: ValidatorQuery,
  { subnetId }: ValidatorFilter,
  { network }: Pick<DataContext, "network">,
): SortBy {
  if (sortBy !== "delegationFee") return sortBy;
  if (network.networkId === FUJI_NETWORK_ID) throw badRequest("sortBy=delegationFee is not for Fuji; use another sortBy");
  if (subnetId === PRIMARY_NETWORK_ID) return sortBy;
  throw badRequest(
    "sortBy=delegationFee works only for validators of the primary network; add subnetId=11111111111111111111111111111111LpoYY",
  );
}

function capacityOf(text: string | undefined): bigint | undefined {
  return text === undefined ? undefined : BigInt(text);
}

/** A bound that was not sent has its default only if the other one was sent. */
function boundsOf<T extends number | bigint>(
  of: string,
  min: T | undefined,
  max: T | undefined,
  lowest: T,
  highest: T,
): Bounds<T> | undefined {
  if (min === undefined && max === undefined) return undefined;
  if (min !== undefined && max !== undefined && min > max) throw badRequest(`min${of} must not be above max${of}, got ${min} and ${max}`);
  return { low: min ?? lowest, high: max ?? highest };
}

/** Converts percent to millionths, rounded to thousandths of one: smaller digits are rounding errors of the double. */
function sharesOf(percent: number): number {
  return Math.round(percent * 10_000_000) / 1000;
}

const MAX_NODE_IDS = 64;

/** undefined: all nodes match */
async function matchingNodes(list: string, nodes: StakingNodes, context: DataContext): Promise<ReadonlySet<NodeId> | undefined> {
  const texts = splitCsv(list);
  if (texts.length === 0) throw badRequest(`nodeIds must name at least one node or part of a node ID, got ${shown(list)}`);
  if (texts.length > MAX_NODE_IDS)
    throw badRequest(`nodeIds must name at most ${MAX_NODE_IDS} nodes or parts of node IDs, got ${texts.length}`);
  const found = new Set<NodeId>();
  const parts: string[] = [];
  for (const text of texts) {
    const nodeId = wholeNode(text);
    if (nodeId === undefined) parts.push(text);
    else if (nodes.has(nodeId)) found.add(nodeId);
  }
  if (parts.length > 0) {
    const matching = await context.cached(`nodes with ${parts}`, () => nodes.matching(parts, context.work));
    if (matching.size === nodes.count) return undefined;
    for (const nodeId of matching) found.add(nodeId);
  }
  return found.size === nodes.count ? undefined : found;
}

/** undefined: the text is not a whole node ID */
function wholeNode(text: string): NodeId | undefined {
  if (!text.startsWith("NodeID-")) return undefined;
  try {
    return parseNodeId(text);
  } catch (error) {
    if (error instanceof TextError) return undefined;
    throw error;
  }
}
