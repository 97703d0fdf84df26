/**
 * A worker's share of the ledger. In each turn of the event loop it sends one message with all requests to the process that holds the
 * ledger. Where limits are large it gets some units in advance, which it spends without asking. A client may therefore be refused while
 * another worker still holds such units: at most a thousandth of the client's limit per worker, which with the hosted service's limits is
 * never more than the price of one request. Unused units go back at the end of the minute.
 */
import { type Demand, type Grant, type Ledger, minuteOf, type Refund } from "./ledger.ts";
import type { Left, Meter, Spending } from "./meter.ts";
import type { RateLimits, Tier } from "./tiers.ts";

/** Plain data, because it is sent between processes. */
export interface LoanRequest {
  readonly demands: readonly Demand[];
  readonly refunds: readonly Refund[];
}

/** The answer of the process that holds the ledger: a grant for each demand. */
export function lend(ledger: Ledger, { demands, refunds }: LoanRequest): Grant[] {
  for (const refund of refunds) ledger.refund(refund);
  return demands.map((demand) => ledger.grant(demand));
}

interface LeasedMeterOptions {
  readonly limits: RateLimits;
  /** returns milliseconds */
  readonly now: () => number;
  /** asks the process that holds the ledger */
  readonly borrow: (request: LoanRequest) => Promise<readonly Grant[]>;
}

/** What this worker may spend for a client in this minute, and what others may, as of the last answer. */
interface Lease {
  units: number;
  minuteLeft: number;
  dayLeft: number;
}

interface Waiting {
  readonly demand: Demand;
  /** units of the lease that are spent if the demand is granted */
  readonly own: number;
  readonly resolve: (spending: Spending) => void;
}

const SHARE_AHEAD = 1 / 1000;
/** More clients than this in one minute only cost more messages. */
const MOST_LEASES = 1 << 14;

export class LeasedMeter implements Meter {
  readonly #options: LeasedMeterOptions;
  #minute: number;
  #leases = new Map<string, Lease>();
  #refunds: Refund[] = [];
  #waiting: Waiting[] = [];
  /** clients with a pending demand for advance units: only one of several concurrent requests makes it */
  readonly #asking = new Set<string>();

  constructor(options: LeasedMeterOptions) {
    this.#options = options;
    this.#minute = minuteOf(options.now());
  }

  spend(client: string, tier: Tier, units: number): Spending | Promise<Spending> {
    this.#turn(minuteOf(this.#options.now()));
    const lease = this.#leases.get(client);
    if (lease !== undefined) {
      if (lease.units >= units) {
        lease.units -= units;
        return spendingOf(lease, true);
      }
      // There will not be more until the minute is over
      if (units > lease.units + Math.min(lease.minuteLeft, lease.dayLeft)) return spendingOf(lease, false);
    }
    const own = lease?.units ?? 0;
    if (lease !== undefined) lease.units = 0;
    const ahead = this.#asking.has(client) ? 0 : Math.floor((this.#options.limits[tier]?.perMinute ?? 0) * SHARE_AHEAD);
    if (ahead > 0) this.#asking.add(client);
    return new Promise((resolve) => {
      if (this.#waiting.push({ demand: { client, tier, units: units - own, ahead }, own, resolve }) === 1) {
        setImmediate(() => void this.#ask());
      }
    });
  }

  /** Knows only clients of this minute. */
  left(client: string): Left | undefined {
    this.#turn(minuteOf(this.#options.now()));
    const lease = this.#leases.get(client);
    return lease && spendingOf(lease, true);
  }

  async #ask(): Promise<void> {
    const [waiting, refunds] = [this.#waiting, this.#refunds];
    [this.#waiting, this.#refunds] = [[], []];
    const grants = await this.#options.borrow({ demands: waiting.map(({ demand }) => demand), refunds });
    for (const [index, { demand, own, resolve }] of waiting.entries()) resolve(this.#take(demand, own, grants[index]!));
  }

  #take({ client, units, ahead }: Demand, own: number, { minute, granted, minuteLeft, dayLeft }: Grant): Spending {
    if (ahead > 0) this.#asking.delete(client);
    // An answer may be for the previous minute
    if (minute > this.#minute) this.#turn(minute);
    const isAdmitted = granted > 0;
    const spare = isAdmitted ? granted - units : own;
    if (minute < this.#minute) {
      this.#giveBack(client, spare, minute);
      return spendingOf({ units: 0, minuteLeft, dayLeft }, isAdmitted);
    }
    const lease = { units: (this.#leases.get(client)?.units ?? 0) + spare, minuteLeft, dayLeft };
    this.#leases.set(client, lease);
    if (this.#leases.size > MOST_LEASES) this.#giveAllBack();
    return spendingOf(lease, isAdmitted);
  }

  /** All leases end with a new minute, or with an earlier one if the clock was set back. */
  #turn(minute: number): void {
    if (minute === this.#minute) return;
    this.#giveAllBack();
    this.#minute = minute;
  }

  #giveAllBack(): void {
    for (const [client, { units }] of this.#leases) this.#giveBack(client, units, this.#minute);
    this.#leases.clear();
  }

  #giveBack(client: string, units: number, minute: number): void {
    if (units > 0) this.#refunds.push({ client, units, minute });
  }
}

function spendingOf({ units, minuteLeft, dayLeft }: Lease, isAdmitted: boolean): Spending {
  return { isAdmitted, minuteLeft: minuteLeft + units, dayLeft: dayLeft + units };
}
