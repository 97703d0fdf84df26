/** The size of a synthetic network. The same scale gives the same network, byte for byte. */

export interface Scale {
  /** number of addresses that hold UTXOs, on X and P */
  readonly addresses: number;
  /** number of addresses that pay others on X; absent: all of them */
  readonly payers?: number;
  /** number of unspent outputs of the largest holder */
  readonly largestHolder: number;
  readonly validators: number;
  readonly delegators: number;
  /** ended periods as a share of running ones */
  readonly endedShare: number;
  readonly subnets: number;
  /** number of subnets that are L1s, with `l1Validators` each */
  readonly l1s: number;
  readonly l1Validators: number;
  /** number of payments on the X-chain; the P-chain has a tenth as many */
  readonly payments: number;
  /** of a block of the P-chain; absent: as many as are usual here */
  readonly txsPerBlock?: number;
  /** seconds between blocks with payments on the P-chain; absent: as many as are usual here */
  readonly paymentsPace?: bigint;
}

export const DEFAULT_SCALE: Scale = {
  addresses: 100_000,
  largestHolder: 1_000_000,
  validators: 20_000,
  delegators: 100_000,
  endedShare: 0.1,
  subnets: 1000,
  l1s: 100,
  l1Validators: 10,
  payments: 500_000,
};

/** Scales all sizes by a factor; `payments` overrides the number of payments. */
export function scaled(factor: number, payments?: number): Scale {
  const times = (count: number) => Math.max(1, Math.round(count * factor));
  return {
    addresses: Math.max(10, times(DEFAULT_SCALE.addresses)),
    largestHolder: times(DEFAULT_SCALE.largestHolder),
    validators: times(DEFAULT_SCALE.validators),
    delegators: times(DEFAULT_SCALE.delegators),
    endedShare: DEFAULT_SCALE.endedShare,
    subnets: times(DEFAULT_SCALE.subnets),
    l1s: times(DEFAULT_SCALE.l1s),
    l1Validators: DEFAULT_SCALE.l1Validators,
    payments: payments ?? times(DEFAULT_SCALE.payments),
  };
}

/**
 * A network for as many transactions as wanted, of which a few hundred set it up: the others are of the same kinds from the first to the last, a
 * tenth of them on the P-chain, and pay two million addresses.
 */
export function growing(transactions: number): Scale {
  return {
    ...scaled(0.001),
    addresses: 2_000_000,
    payers: 5000,
    largestHolder: transactions,
    payments: Math.ceil(transactions / 1.1),
  };
}

/** Pseudo-random numbers below `limit`, the same in every run (mulberry32). */
export class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  below(limit: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  }
}
