/** Query parameters of the list of validators, and what they mean. */
import Type, { type Static } from "typebox";
import type { StakingNodes } from "../../index/primary/staking-nodes.ts";
import { MAX_SHARES } from "../../index/primary/staking-scope.ts";
import { ACTIVE, COMPLETED, PENDING, REMOVED } from "../../index/primary/staking-tables.ts";
import type { FeeBounds } from "../../index/primary/validation-history.ts";
import { type Id, type NodeId, PRIMARY_NETWORK_ID } from "../../primitives/id.ts";
import { parseNodeId } from "../../primitives/node-id.ts";
import { TextError } from "../../primitives/text-error.ts";
import type { DataContext } from "../context.ts";
import { badRequest } from "../errors.ts";
import { cb58Id, parseIdParam, shown } from "../ids.ts";
import { csv, pageQuery, sortQuery, splitCsv } from "../paging.ts";

export const STATUSES = { pending: PENDING, active: ACTIVE, completed: COMPLETED, removed: REMOVED } as const;
type StatusName = keyof typeof STATUSES;

export const statusParam = Type.Optional(
  Type.Union([Type.Literal("completed"), Type.Literal("active"), Type.Literal("pending"), Type.Literal("removed")], {
    description: "All when absent. It follows the chain's state: pending and current set, left.",
  }),
);

const MAX_CAPACITY = 720_000_000_000_000_000n;
const MAX_SECONDS = 2_147_483_647;
/** Up to `MAX_CAPACITY`, digit by digit: the document says all that is taken. */
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
          "`blockIndex` (height of the staking transaction) when absent. `delegationFee` needs `subnetId` to be the primary network, and is not " +
          "for Fuji. Validators without the figure come last in both orders. Equal ones are in order of height and transaction. A capacity that " +
          "changes between two pages moves its validator: it may then be on both or on none.",
      },
    ),
  ),
  validationStatus: statusParam,
  minDelegationCapacity: capacityBound(`nAVAX, up to ${MAX_CAPACITY}; 0 if only the other bound is sent. ${HIDES}`),
  maxDelegationCapacity: capacityBound(`nAVAX, up to ${MAX_CAPACITY}; that if only the other bound is sent. ${HIDES}`),
  minTimeRemaining: secondsBound(`Seconds; 0 if only the other bound is sent. ${HIDES}`),
  maxTimeRemaining: secondsBound(`Seconds; ${MAX_SECONDS} if only the other bound is sent. ${HIDES}`),
  minFeePercentage: feeBound("2 if only the other bound is sent. Hides validators of subnets: they have no fee."),
  maxFeePercentage: feeBound("100 if only the other bound is sent. Hides validators of subnets: they have no fee."),
  minUptimePerformance: uptimeBound(`Percent; 90 if only the other bound is sent. ${HIDES}`),
  maxUptimePerformance: uptimeBound(`Percent; 100 if only the other bound is sent. ${HIDES}`),
  subnetId: Type.Optional(cb58Id("Validators of this subnet; of all when absent")),
});
export type ValidatorQuery = Static<typeof validatorQuery>;
export type SortBy = NonNullable<ValidatorQuery["sortBy"]>;

/** Both included. */
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

export function validatorFilter(query: ValidatorQuery, nodes: StakingNodes): ValidatorFilter {
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
    nodeIds: query.nodeIds === undefined ? undefined : matchingNodes(query.nodeIds, nodes),
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
  throw badRequest("sortBy=delegationFee is for validators of the primary network: add subnetId=11111111111111111111111111111111LpoYY");
}

function capacityOf(text: string | undefined): bigint | undefined {
  return text === undefined ? undefined : BigInt(text);
}

/** A bound that was not sent counts only if the other one was. */
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

/** Percent in millionths; what a double adds beyond thousandths of one is noise. */
function sharesOf(percent: number): number {
  return Math.round(percent * 10_000_000) / 1000;
}

const MAX_NODE_IDS = 64;

/** undefined: all of them */
function matchingNodes(list: string, nodes: StakingNodes): ReadonlySet<NodeId> | undefined {
  const texts = splitCsv(list);
  if (texts.length === 0) throw badRequest(`nodeIds must name at least one node or part of a node ID, got ${shown(list)}`);
  if (texts.length > MAX_NODE_IDS)
    throw badRequest(`nodeIds must name at most ${MAX_NODE_IDS} nodes or parts of node IDs, got ${texts.length}`);
  const sets = texts.map((text) => wholeNode(text, nodes) ?? nodes.matching(text));
  const found = sets.length === 1 ? sets[0]! : new Set(sets.flatMap((set) => [...set]));
  return found.size === nodes.count ? undefined : found;
}

/** Empty for one that never validated. */
function wholeNode(text: string, nodes: StakingNodes): ReadonlySet<NodeId> | undefined {
  try {
    return new Set([parseNodeId(text)].filter((nodeId) => nodes.has(nodeId)));
  } catch (error) {
    if (error instanceof TextError) return undefined;
    throw error;
  }
}
