import type { Gate } from "../../src/devnet/anvil/gate.ts";
import type { Anvil } from "./anvil.ts";

/** A node that takes calls from one side at a time, because anvil sometimes locks up if it is read while its chain changes. */
export function guarded(anvil: Anvil, gate: Gate): Anvil {
  return {
    ...anvil,
    async call(method, ...params) {
      await gate.close();
      try {
        return await anvil.call(method, ...params);
      } finally {
        gate.open();
      }
    },
  };
}
