/** Asks whether a client may spend. With one serving process the ledger answers at once; workers have `leased-meter.ts`. */
import type { Ledger } from "./ledger.ts";
import type { Tier } from "./tiers.ts";

export interface Spending {
  readonly isAdmitted: boolean;
  readonly minuteLeft: number;
  readonly dayLeft: number;
}

export interface Meter {
  spend(client: string, tier: Tier, units: number): Spending | Promise<Spending>;
}

export function ledgerMeter(ledger: Ledger): Meter {
  return {
    spend(client, tier, units) {
      const { granted, minuteLeft, dayLeft } = ledger.grant({ client, tier, units, ahead: 0 });
      return { isAdmitted: granted > 0, minuteLeft, dayLeft };
    },
  };
}
