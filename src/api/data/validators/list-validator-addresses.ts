import Type from "typebox";
import type { Id } from "../../../base/bytes/id.ts";
import { P_CHAIN } from "../../../index/primary/primary-chain.ts";
import type { StakingPicture } from "../../../index/primary/staking/staking-memory.ts";
import { REMOVED, type Validation, validations } from "../../../index/primary/staking/staking-tables.ts";
import { blocksByTime } from "../../../index/primary/transactions/transaction-tables.ts";
import { isActive } from "../../../network/network.ts";
import type { DataContext } from "../context.ts";
import { notFound } from "../errors.ts";
import { cb58Id, parseIdParam } from "../ids.ts";
import { namedObject } from "../named-object.ts";
import { pageOf, pageQuery, timeQuery } from "../paging.ts";
import { dataRoute } from "../route.ts";
import { stakingPicture, validationsByBlock } from "./page.ts";
import { addressTexts } from "./present.ts";

/** Validations that one page looks at. */
const MOST_LOOKED_AT = 2_000;
/** Before Durango a transaction could name a start this many seconds ahead (avalanchego `MaxFutureStartTime`). */
const MAX_FUTURE_START = 14n * 86_400n;

const addressesSchema = namedObject("PChainAddressDetails", {
  addresses: Type.Array(Type.String(), { description: "All owners of the validator's reward." }),
  sortKey: Type.String({ description: "Unix seconds, decimal: time of the block with the staking transaction." }),
});

export const listValidatorAddresses = dataRoute({
  method: "GET",
  version: 2,
  path: "/subnets/{subnetId}/validators:getAddresses",
  operationId: "getValidatorsByDateRange",
  tag: "Primary network: staking",
  summary: "Addresses that the rewards of a subnet's validators go to, one item for each staking transaction, newest first.",
  description:
    "With times, only validators whose period has a part in the span: it begins before `endTimestamp` and ends after `startTimestamp`. Validators " +
    `without rewards are left out: those of permissioned subnets and of L1s. A page looks at ${MOST_LOOKED_AT} validators at most: it may be short, ` +
    "or empty, and have a next one.",
  cost: `O(pageSize) rows, and those of validators whose period is not in the span: at most ${MOST_LOOKED_AT} in all`,
  computeUnits: 100,
  params: Type.Object({ subnetId: cb58Id("ID of the subnet; 11111111111111111111111111111111LpoYY is the primary network") }),
  query: Type.Object({
    ...timeQuery,
    ...pageQuery(5000, 1000),
    network: Type.Optional(
      Type.Union([Type.Literal("mainnet"), Type.Literal("fuji"), Type.Literal("testnet")], {
        description: "The network of this server; `fuji` and `testnet` are every network but mainnet.",
      }),
    ),
  }),
  response: pageOf({ addresses: Type.Array(addressesSchema) }, "PChainLookingGlassResponse"),
  async handle({ params, query: { network, pageSize, startTimestamp = 0, endTimestamp } }, context) {
    if (network !== undefined && (network === "mainnet") !== (context.label === "mainnet"))
      throw notFound(`network ${network} is not served here; use ${context.label}`);
    if (endTimestamp !== undefined && endTimestamp <= startTimestamp) return { addresses: [] };
    const span = { start: BigInt(startTimestamp), end: endTimestamp === undefined ? undefined : BigInt(endTimestamp) };
    const listing = new Listing(context, parseIdParam("subnetId", params.subnetId), span, await stakingPicture(context));
    const { found, next } = await listing.page(pageSize);
    return {
      addresses: found.map(({ terms, timestamp }) => ({
        addresses: addressTexts(terms!.validationOwner, context.network),
        sortKey: `${timestamp}`,
      })),
      ...context.nextPage(next && { height: next.height, txId: next.txId }),
    };
  },
});

/** Unix seconds; the end is excluded. */
interface Span {
  readonly start: bigint;
  readonly end: bigint | undefined;
}

interface Place {
  readonly height: bigint;
  readonly txId: Id;
}

class Listing {
  readonly #context: DataContext;
  readonly #subnetId: Id;
  readonly #span: Span;
  readonly #picture: StakingPicture;

  constructor(context: DataContext, subnetId: Id, span: Span, picture: StakingPicture) {
    this.#context = context;
    this.#subnetId = subnetId;
    this.#span = span;
    this.#picture = picture;
  }

  async page(pageSize: number): Promise<{ found: Validation[]; next: Place | undefined }> {
    const found: Validation[] = [];
    let last: Place | undefined;
    let after = await this.#start();
    for (let left = MOST_LOOKED_AT, size = pageSize + 1; left > 0; left -= size, size *= 2) {
      const chunk = Math.min(size, left);
      const places = await validationsByBlock(this.#subnetId, this.#picture, this.#context, { after, limit: chunk });
      const rows = await this.#context.reader.getMany(
        validations,
        places.map(({ txId }) => ({ txId })),
      );
      for (const [i, row] of rows.entries()) {
        if (this.#isBeforeAll(row!)) return { found, next: undefined };
        if (this.#isListed(row!)) {
          if (found.length === pageSize) return { found, next: last };
          found.push(row!);
        }
        last = places[i]!;
      }
      if (places.length < chunk) return { found, next: undefined };
      after = last;
    }
    return { found, next: last };
  }

  /** No period begins before the block of its transaction, so those of later blocks are passed over. */
  async #start(): Promise<Place | undefined> {
    const { after, reader } = this.#context;
    if (after !== undefined) return { height: BigInt(after.height!), txId: `${after.txId}` };
    if (this.#span.end === undefined) return undefined;
    const from = { timestamp: this.#span.end - 1n };
    const [block] = await reader.scan(blocksByTime, { prefix: { chain: P_CHAIN }, from, reverse: true, limit: 1 });
    return { height: (block?.key.height ?? 0n) + 1n, txId: "00".repeat(32) };
  }

  #isListed({ terms, status, isAutoRenewed, timestamp, start, end, left }: Validation): boolean {
    const began = isAutoRenewed ? timestamp : start;
    const ended = status === REMOVED && left !== undefined ? left.timestamp : end;
    return terms !== undefined && ended > this.#span.start && (this.#span.end === undefined || began < this.#span.end);
  }

  /** Whether it and all earlier ones ended before the span. Those that renew themselves, since Helicon, have no longest time. */
  #isBeforeAll({ timestamp }: Validation): boolean {
    const { network } = this.#context;
    return timestamp + MAX_FUTURE_START + network.staking.maxStakeDuration <= this.#span.start && !isActive(network, "helicon", timestamp);
  }
}
