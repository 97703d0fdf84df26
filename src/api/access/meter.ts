/** Asks whether a client may spend. With one serving process the ledger answers directly; workers use `leased-meter.ts`. */
import type { Ledger } from "./ledger.ts";
import type { Tier } from "./tiers.ts";

/** What a client may still spend. */
export interface Left {
  readonly minuteLeft: number;
  readonly dayLeft: number;
}

export interface Spending extends Left {
  readonly isAdmitted: boolean;
}

export interface Meter {
  spend(client: string, tier: Tier, units: number): Spending | Promise<Spending>;
  /** undefined if this process does not know */
  left(client: string, tier: Tier): Left | undefined;
}

export function ledgerMeter(ledger: Ledger): Meter {
  return {
    spend(client, tier, units) {
      const { granted, minuteLeft, dayLeft } = ledger.grant({ client, tier, units, ahead: 0 });
      return { isAdmitted: granted > 0, minuteLeft, dayLeft };
    },
    left: (client, tier) => ledger.left(client, tier),
  };
}
