/**
 * Reads a page of validators by merging active and pending ones from memory with past ones from their lists. Validators without the figure
 * that sorts the page come last, in order of blocks.
 */

import { type Id, PRIMARY_NETWORK_ID } from "../../../base/bytes/id.ts";
import { mapInTurns, sortInTurns } from "../../../base/work/work.ts";
import { StakingMemory, type StakingPicture } from "../../../index/primary/staking/staking-memory.ts";
import { ACTIVE, COMPLETED, PENDING, REMOVED, validations } from "../../../index/primary/staking/staking-tables.ts";
import { pastPage } from "../../../index/primary/staking/validation-history.ts";
import {
  comparePlaces,
  type ListPlace,
  type LiveOrder,
  type LivePage,
  type LiveValidation,
  type Placed,
} from "../../../index/primary/staking/validation-snapshot.ts";
import type { Uptimes } from "../../state/node-facts.ts";
import type { DataContext, Position } from "../context.ts";
import { type SortBy, statusesOf, type ValidatorFilter } from "./filters.ts";
import { presentValidator, uptimePercent, type ValidatorJson } from "./present.ts";

/** Called once per state. */
export function stakingPicture(context: DataContext): Promise<StakingPicture> {
  return context.cached("staking picture", () => context.kept.of(KeptMemory).of(context).at(context.reader));
}

/** The memory moves forward with the chain. If the state goes back (another generation), a new one is made. */
class KeptMemory {
  #kept: { readonly memory: StakingMemory; readonly generation: number | undefined } | undefined;

  of({ network, generation }: DataContext): StakingMemory {
    if (this.#kept === undefined || generation === undefined || this.#kept.generation !== generation) {
      this.#kept = { memory: new StakingMemory(network), generation };
    }
    return this.#kept.memory;
  }
}

interface ValidatorPage {
  readonly filter: ValidatorFilter;
  readonly sortBy: SortBy;
  readonly isDescending: boolean;
  readonly pageSize: number;
}

export async function validatorPage(
  page: ValidatorPage,
  picture: StakingPicture,
  context: DataContext,
): Promise<{ nextPageToken?: string; validators: ValidatorJson[] }> {
  const found = await validationsFound(page, picture, context);
  const shown = found.slice(0, page.pageSize);
  const records = await context.reader.getMany(
    validations,
    shown.map(({ txId }) => ({ txId })),
  );
  const { network, uptimes } = context;
  return {
    ...context.nextPage(found.length > page.pageSize ? positionOf(shown.at(-1)!) : undefined),
    validators: await mapInTurns(context.work, shown.entries(), ([i, { txId }]) =>
      presentValidator(txId, records[i]!, { network, uptimes, snapshot: picture.snapshot }),
    ),
  };
}

/** `isRest`: among those without the figure */
interface Found extends ListPlace {
  readonly isRest: boolean;
}

/** Finds one validation more than a page, if there is one. */
async function validationsFound(page: ValidatorPage, picture: StakingPicture, context: DataContext): Promise<Found[]> {
  const limit = page.pageSize + 1;
  const after = context.after && foundOf(context.after);
  const { order, has, isOfAll } = orders[page.sortBy];
  const figureOf = page.sortBy === "uptimePerformance" && context.uptimes ? uptimeFigure(context.uptimes) : undefined;
  const first = after?.isRest ? [] : await merged(page, picture, context, { order, has, hasPast: isOfAll, figureOf, after, limit });
  const figured = first.map((place) => ({ ...place, isRest: false }));
  if (isOfAll || figured.length >= limit) return figured;
  const rest = await merged(page, picture, context, {
    order: "block",
    has: (validation) => !has(validation),
    hasPast: true,
    after: after?.isRest ? after : undefined,
    limit: limit - figured.length,
  });
  return [...figured, ...rest.map((place) => ({ ...place, isRest: true }))];
}

interface Order {
  readonly order: LiveOrder;
  /** which active or pending validations have the figure */
  readonly has: (validation: LiveValidation) => boolean;
  /** whether past validations have it too */
  readonly isOfAll: boolean;
}

const orders: Readonly<Record<SortBy, Order>> = {
  blockIndex: { order: "block", has: () => true, isOfAll: true },
  // allowed in the primary network only, where all validators have a fee
  delegationFee: { order: "fee", has: () => true, isOfAll: true },
  delegationCapacity: { order: "capacity", has: ({ capacity }) => capacity !== undefined, isOfAll: false },
  timeRemaining: { order: "end", has: () => true, isOfAll: false },
  // the same for all validators, except on a devnet
  uptimePerformance: { order: "block", has: ({ status }) => status === ACTIVE, isOfAll: false },
};

function uptimeFigure(uptimes: Uptimes): (validation: LiveValidation) => bigint {
  return ({ subnetId, nodeId }) => BigInt(uptimes.uptime(subnetId, nodeId));
}

/** A subnet's validations, those of the newest block first. */
export function validationsByBlock(
  subnetId: Id,
  picture: StakingPicture,
  context: DataContext,
  { after, limit }: { readonly after: Omit<ListPlace, "figure"> | undefined; readonly limit: number },
): Promise<ListPlace[]> {
  const all = { statuses: statusesOf(undefined), nodeIds: undefined, capacity: undefined, secondsLeft: undefined, fees: undefined };
  const page = { filter: { ...all, subnetId, uptime: undefined }, isDescending: true };
  const part = { order: "block", has: () => true, hasPast: true, limit, after: after && { figure: 0n, ...after } } as const;
  return merged(page, picture, context, part);
}

interface Part {
  readonly order: LiveOrder;
  /** sort by this instead, which goes through all accepted validations */
  readonly figureOf?: ((validation: LiveValidation) => bigint) | undefined;
  readonly has: (validation: LiveValidation) => boolean;
  readonly hasPast: boolean;
  readonly after: ListPlace | undefined;
  readonly limit: number;
}

async function merged(
  { filter, isDescending }: Pick<ValidatorPage, "filter" | "isDescending">,
  { snapshot }: StakingPicture,
  context: DataContext,
  { order, figureOf, has, hasPast, after, limit }: Part,
): Promise<ListPlace[]> {
  const accepts = (validation: LiveValidation) => has(validation) && isListed(validation, filter, context);
  const page = (part: Pick<LivePage, "after" | "limit">) =>
    snapshot.page({ order, nodeIds: filter.nodeIds, accepts, isDescending, ...part }, context.work);
  const live = !canListLive(filter)
    ? []
    : await (figureOf === undefined ? page({ after, limit }) : placedBy(figureOf, page, after, isDescending));
  const past = hasPast
    ? await pastPage(context.reader, {
        statuses: canListPast(filter) ? [COMPLETED, REMOVED].filter((status) => filter.statuses.has(status)) : [],
        ...{ subnetId: filter.subnetId, nodeIds: filter.nodeIds, fees: filter.fees },
        isByFee: order === "fee",
        ...{ after, isDescending, limit },
      })
    : [];
  const all = await sortInTurns(context.work, [...live, ...past], (a, b) => (isDescending ? comparePlaces(b, a) : comparePlaces(a, b)));
  return all.slice(0, limit);
}

/** All validations after `after` in the other order. */
async function placedBy(
  figureOf: (validation: LiveValidation) => bigint,
  page: (part: Pick<LivePage, "after" | "limit">) => Promise<readonly Placed[]>,
  after: ListPlace | undefined,
  isDescending: boolean,
): Promise<ListPlace[]> {
  const all = await page({ after: undefined, limit: Number.POSITIVE_INFINITY });
  const placed = all.map(({ height, txId, validation }) => ({ figure: figureOf(validation), height, txId }));
  return after === undefined
    ? placed
    : placed.filter((place) => comparePlaces(place, after) > 0 !== isDescending && comparePlaces(place, after) !== 0);
}

/** Past validations have none of these figures. */
function canListPast({ capacity, secondsLeft, uptime }: ValidatorFilter): boolean {
  return capacity === undefined && secondsLeft === undefined && uptime === undefined;
}

function canListLive({ statuses }: ValidatorFilter): boolean {
  return statuses.has(PENDING) || statuses.has(ACTIVE);
}

/** Reads the clock only for bounds of the remaining time, so other pages can be kept until the state changes. */
function isListed(validation: LiveValidation, filter: ValidatorFilter, context: DataContext): boolean {
  const { status, subnetId, nodeId, shares, end } = validation;
  const { capacity, secondsLeft, fees, uptime } = filter;
  if (!filter.statuses.has(status)) return false;
  if (filter.subnetId !== undefined && filter.subnetId !== subnetId) return false;
  if (filter.nodeIds !== undefined && !filter.nodeIds.has(nodeId)) return false;
  if (capacity !== undefined && !isWithin(validation.capacity, capacity)) return false;
  if (secondsLeft !== undefined && !isWithin(Math.max(0, Number(end - context.readClock())), secondsLeft)) return false;
  if (fees !== undefined && (subnetId !== PRIMARY_NETWORK_ID || !isWithin(shares, fees))) return false;
  return uptime === undefined || (status === ACTIVE && isWithin(uptimePercent(validation, context.uptimes), uptime));
}

function isWithin<T extends number | bigint>(figure: T | undefined, { low, high }: { low: T; high: T }): boolean {
  return figure !== undefined && figure >= low && figure <= high;
}

function positionOf({ figure, height, txId, isRest }: Found): Position {
  return { figure, height, txId, rest: isRest ? 1 : 0 };
}

function foundOf({ figure, height, txId, rest }: Position): Found {
  return { figure: BigInt(figure!), height: BigInt(height!), txId: `${txId}`, isRest: Number(rest) === 1 };
}
