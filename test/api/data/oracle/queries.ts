/** Random queries for what a history contains, and some for what it does not. */

import fc from "fast-check";
import { formatNodeId } from "../../../../src/base/bytes/cb58.ts";
import { type Id, PRIMARY_NETWORK_ID, type ShortId } from "../../../../src/base/bytes/id.ts";
import type { Block, Chain, History } from "./history.ts";
import type { BlockQuery, L1Query } from "./network.ts";
import { capacityOf, type DelegatorQuery, type RewardQuery, type ValidatorQuery } from "./staking.ts";
import type { TxQuery } from "./transactions.ts";
import type { ActivityQuery, BalanceQuery, UtxoQuery } from "./utxos.ts";

const STRANGER: ShortId = "00112233445566778899aabbccddeeff00112233";
const STRANGE_ID: Id = "ab".repeat(32);

/** undefined is twice as likely as with `fc.option`'s usual odds: too many filters leave nothing. */
function perhaps<T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> {
  return fc.option(arbitrary, { nil: undefined, freq: 2 });
}

function distinct<T>(items: Iterable<T>, stranger: T): readonly T[] {
  return [...new Set([...items, stranger])];
}

function someOf<T>(items: readonly T[], maxLength = 5): fc.Arbitrary<readonly T[]> {
  return fc.uniqueArray(fc.constantFrom(...items), { minLength: 1, maxLength });
}

const sortOrder = perhaps(fc.constantFrom("asc" as const, "desc" as const));

const validationStatus = perhaps(fc.constantFrom("pending" as const, "active" as const, "completed" as const, "removed" as const));

/** nAVAX; the API takes no bound above it */
const MOST_CAPACITY = 720_000_000_000_000_000n;
const isCapacity = (capacity: bigint) => capacity >= 0n && capacity <= MOST_CAPACITY;

/** Values, and those beside them. */
function around(values: readonly bigint[]): fc.Arbitrary<bigint> {
  return fc.tuple(fc.constantFrom(...values), fc.constantFrom(-1n, 0n, 1n)).map(([value, beside]) => value + beside);
}

export class Queries {
  readonly #history: History;
  readonly #clock: bigint;
  readonly #addresses: readonly ShortId[];
  readonly #nodes: readonly string[];

  /** @param clock Unix seconds, of the server */
  constructor(history: History, clock: bigint) {
    this.#history = history;
    this.#clock = clock;
    this.#addresses = distinct(
      history.utxos.flatMap(({ addresses }) => addresses),
      STRANGER,
    );
    this.#nodes = distinct(
      [...history.stakers, ...history.l1Validators].map(({ nodeId }) => nodeId),
      STRANGER,
    );
  }

  get chains(): Chain[] {
    return ["P", "X", "C"];
  }

  /** of blocks and transactions, each once */
  timesOf(chain: Chain): readonly bigint[] {
    const { blocks, txs } = this.#history;
    return [...new Set([...blocks, ...txs].filter((one) => one.chain === chain).map(({ time }) => time))];
  }

  /** Blocks' times, and the seconds around them. */
  time(): fc.Arbitrary<bigint> {
    return around(this.chains.flatMap((chain) => this.timesOf(chain)));
  }

  addressLists(): fc.Arbitrary<readonly ShortId[]> {
    return fc.oneof({ arbitrary: someOf(this.#addresses), weight: 4 }, { arbitrary: someOf(this.#addresses, 60), weight: 1 });
  }

  /** Amounts of UTXOs, and one more. */
  #leastAmounts(): fc.Arbitrary<bigint | undefined> {
    const amounts = [0n, ...new Set(this.#history.utxos.map(({ amount }) => amount))];
    return perhaps(fc.tuple(fc.constantFrom(...amounts), fc.constantFrom(0n, 1n)).map(([amount, more]) => amount + more));
  }

  utxos(): fc.Arbitrary<UtxoQuery> {
    const assets = distinct(
      this.#history.utxos.map(({ assetId }) => assetId),
      STRANGE_ID,
    );
    const filters = fc.record({
      chain: fc.constantFrom(...this.chains),
      addresses: perhaps(this.addressLists()),
      assetId: perhaps(fc.constantFrom(...assets)),
      minUtxoAmount: this.#leastAmounts(),
      includeSpent: perhaps(fc.boolean()),
      sortBy: perhaps(fc.constantFrom("timestamp" as const, "amount" as const)),
      sortOrder,
    });
    return filters.map((query) => (query.chain === "X" ? query : { ...query, assetId: undefined }));
  }

  /** Also when locks and stakes end, which may be long after the last block. */
  balances(): fc.Arbitrary<BalanceQuery> {
    const { utxos, stakers } = this.#history;
    const locks = utxos.flatMap(({ locktime, stakeableLocktime = 0n }) => [locktime, stakeableLocktime]);
    const ends = [...new Set([this.#clock, ...locks, ...stakers.map(({ end }) => end)])].filter((time) => time > 1n && time < 1n << 50n);
    return fc.record({
      chain: fc.constantFrom(...this.chains),
      addresses: perhaps(this.addressLists()),
      blockTimestamp: perhaps(fc.oneof(this.time(), around(ends), fc.constant(0n))),
    });
  }

  activity(): fc.Arbitrary<ActivityQuery> {
    const addresses = fc.option(this.addressLists(), { nil: undefined, freq: 8 });
    return fc.record({ chain: fc.constantFrom(...this.chains), addresses, minUtxoAmount: this.#leastAmounts() });
  }

  txs(): fc.Arbitrary<TxQuery> {
    const types = distinct(
      this.#history.txs.map(({ type }) => type),
      "UNKNOWN",
    ).filter((type) => !type.includes("AutoRenewed"));
    const accounts = this.#history.txs.filter(({ chain }) => chain === "C").flatMap(({ tx }) => accountsOf(tx.unsigned));
    const validations = distinct(
      this.#history.l1Validators.map(({ validationId }) => validationId),
      STRANGE_ID,
    );
    const filters = {
      txTypes: perhaps(someOf(types)),
      startTimestamp: perhaps(this.#seconds()),
      endTimestamp: perhaps(this.#seconds()),
      sortOrder,
    };
    const owners = this.addressLists().map((list) => list.map((address) => ({ address, isEvm: false })));
    const evm = someOf(distinct(accounts, STRANGER)).map((list) => list.map((address) => ({ address, isEvm: true })));
    const assets = distinct(
      this.#history.assets.map(({ assetId }) => assetId),
      this.#history.network.avaxAssetId,
    );
    return fc.oneof(
      fc.record({ chain: fc.constantFrom(...this.chains), sortOrder }),
      fc.record({ chain: fc.constantFrom(...this.chains), addresses: owners, ...filters }),
      fc.record({ chain: fc.constant("C" as const), addresses: evm, ...filters }),
      fc.record({ chain: fc.constant("C" as const), addresses: fc.tuple(owners, evm).map((lists) => lists.flat()), ...filters }),
      fc.record({ chain: fc.constant("P" as const), l1ValidationId: fc.constantFrom(...validations), ...filters }),
      fc.record({ chain: fc.constant("P" as const), l1ValidationId: fc.constantFrom(...validations), addresses: owners, ...filters }),
      fc.record({ chain: fc.constant("P" as const), isStaking: fc.constant(true), addresses: perhaps(owners), ...filters }),
      fc.record({ ...filters, chain: fc.constant("X" as const), assetId: fc.constantFrom(...assets), sortOrder: fc.constant(undefined) }),
    );
  }

  #seconds(): fc.Arbitrary<number> {
    return this.time().map(Number);
  }

  validators(): fc.Arbitrary<ValidatorQuery> {
    const { stakers } = this.#history;
    const clock = this.#clock;
    const subnets = distinct(
      stakers.map(({ subnetId }) => subnetId),
      STRANGE_ID,
    );
    const whole = this.#nodes.map((nodeId) => formatNodeId(nodeId));
    const part = fc
      .tuple(fc.constantFrom(...whole), fc.nat({ max: 30 }), fc.integer({ min: 1, max: 4 }))
      .map(([text, at, length]) => text.slice(at, at + length));
    const capacities = stakers.flatMap((staker) => capacityOf(this.#history, staker) ?? []);
    const capacity = fc.oneof(fc.bigInt({ min: 0n, max: MOST_CAPACITY }), around([1n, ...capacities]).filter(isCapacity));
    const left = stakers.filter(({ end }) => end > clock).map(({ end }) => end - clock);
    const seconds = fc.oneof(fc.nat({ max: 2_147_483_647 }), around([1n, ...left]).map(Number));
    const fees = stakers.flatMap(({ shares }) => (shares === undefined || shares < 20_000 ? [] : [shares / 10_000]));
    const percent = fc.oneof(
      fc.constantFrom(2, 100, ...fees),
      fc.integer({ min: 20, max: 1000 }).map((tenths) => tenths / 10),
    );
    const uptime = fc.integer({ min: 0, max: 100 });
    return fc
      .record({
        nodeIds: perhaps(fc.array(fc.oneof(fc.constantFrom(...whole), part), { minLength: 1, maxLength: 3 })),
        sortBy: perhaps(fc.constantFrom("blockIndex", "delegationCapacity", "timeRemaining", "delegationFee", "uptimePerformance")),
        sortOrder,
        validationStatus,
        ...bounds("DelegationCapacity", capacity),
        ...bounds("TimeRemaining", seconds),
        ...bounds("FeePercentage", percent),
        ...bounds("UptimePerformance", uptime),
        subnetId: perhaps(fc.constantFrom(PRIMARY_NETWORK_ID, ...subnets)),
      })
      .map(withoutContradictions) as fc.Arbitrary<ValidatorQuery>;
  }

  validations(): fc.Arbitrary<Pick<ValidatorQuery, "sortOrder" | "validationStatus"> & { node: string }> {
    return fc.record({ node: fc.constantFrom(...this.#nodes).map(formatNodeId), sortOrder, validationStatus });
  }

  delegators(): fc.Arbitrary<DelegatorQuery> {
    return fc.record({
      rewardAddresses: perhaps(this.addressLists()),
      nodeIds: perhaps(someOf(this.#nodes)),
      delegationStatus: perhaps(fc.constantFrom("pending" as const, "active" as const, "completed" as const)),
      sortOrder,
    });
  }

  rewards(): fc.Arbitrary<RewardQuery> {
    return fc
      .record({ addresses: perhaps(this.addressLists()), nodeIds: perhaps(someOf(this.#nodes)), sortOrder })
      .filter(({ addresses, nodeIds }) => addresses !== undefined || nodeIds !== undefined);
  }

  l1Validators(): fc.Arbitrary<L1Query> {
    const { l1Validators } = this.#history;
    const ids = distinct(
      l1Validators.map(({ validationId }) => validationId),
      STRANGE_ID,
    );
    const subnets = distinct(
      l1Validators.map(({ subnetId }) => subnetId),
      STRANGE_ID,
    );
    return fc.record({
      l1ValidationId: perhaps(fc.constantFrom(...ids)),
      nodeId: perhaps(fc.constantFrom(...this.#nodes)),
      subnetId: perhaps(fc.constantFrom(...subnets)),
      includeInactiveL1Validators: perhaps(fc.boolean()),
    });
  }

  blocks(): fc.Arbitrary<BlockQuery> {
    return fc.constantFrom(...this.chains).chain((chain) => {
      const blocks = this.#history.blocks.filter((block) => block.chain === chain);
      const second = blocks.length > 0 ? around(blocks.map(({ time }) => time)) : this.time();
      const proposers = blocks.flatMap(({ proposer }) => proposer?.nodeId ?? []);
      return fc.record({
        chain: fc.constant(chain),
        nodeId: perhaps(fc.constantFrom(...distinct(proposers, STRANGER))),
        startTimestamp: perhaps(second.map(Number)),
        endTimestamp: perhaps(second.map(Number)),
      });
    });
  }

  oneBlock(): fc.Arbitrary<Block> {
    return fc.constantFrom(...this.#history.blocks);
  }
}

function accountsOf(unsigned: object): ShortId[] {
  const { inputs = [], outputs = [] } = unsigned as { inputs?: { address: ShortId }[]; outputs?: { address: ShortId }[] };
  return [...inputs, ...outputs].map(({ address }) => address);
}

/** Rarely given: several pairs of bounds at once leave nothing. */
function bounds<T>(of: string, arbitrary: fc.Arbitrary<T>) {
  const rarely = fc.option(arbitrary, { nil: undefined, freq: 1 });
  const seldom = fc.tuple(fc.nat({ max: 3 }), rarely).map(([chance, bound]) => (chance === 0 ? bound : undefined));
  return { [`min${of}`]: seldom, [`max${of}`]: seldom };
}

/** What would be refused: a lower bound above the upper one, an order by fee of more than the primary network. */
function withoutContradictions(query: Record<string, unknown>): Record<string, unknown> {
  const checked = { ...query };
  for (const of of ["DelegationCapacity", "TimeRemaining", "FeePercentage", "UptimePerformance"]) {
    const [min, max] = [checked[`min${of}`], checked[`max${of}`]] as [bigint | undefined, bigint | undefined];
    if (min !== undefined && max !== undefined && min > max) checked[`min${of}`] = undefined;
  }
  if (checked.sortBy === "delegationFee") checked.subnetId = PRIMARY_NETWORK_ID;
  return checked;
}
