/** A method that only tests send to a development node. Here it acts on the whole network. Names and answers are those of Hardhat and anvil. */

import type { Development } from "../../../api/rpc/firn/development.ts";
import type { JsonValue } from "../../../base/json/go-encode.ts";
import type { EvmControls } from "../../../devnet/evm/evm-controls.ts";
import type { KeyRing } from "../key-ring.ts";

type Operations = "now" | "advanceTime" | "mineEvm" | "setNextEvmTimestamp" | "snapshot" | "revert";

export interface DevnetOfTests extends Pick<Development, Operations> {
  readonly evmControls: EvmControls;
  /** keys that sign for whoever asks */
  readonly keyRing: KeyRing;
}

export type CheatMethod = (devnet: DevnetOfTests, params: readonly unknown[]) => Promise<JsonValue>;

type Named = readonly (readonly [name: string, method: CheatMethod])[];

/** Methods that answer nothing else: anvil says `null`, Hardhat `true`. @param did what the method does, by its name without a namespace */
export function done(names: readonly string[], does: (devnet: DevnetOfTests, params: readonly unknown[]) => Promise<unknown>): Named {
  return names.map((name) => [
    name,
    async (devnet, params) => {
      await does(devnet, params);
      return name.startsWith("anvil_") ? null : true;
    },
  ]);
}

/** The names of a method that both have. */
export function both(method: string): string[] {
  return [`hardhat_${method}`, `anvil_${method}`];
}

/** The accounts that transactions are sent for. Clients look there before they use one. */
export function accountsOf({ evmControls, keyRing }: Pick<DevnetOfTests, "evmControls" | "keyRing">): string[] {
  return [...new Set([...keyRing.addresses, ...evmControls.impersonated])].map((address) => `0x${address}`);
}
