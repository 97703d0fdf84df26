/** Methods by which tests say for which accounts they send transactions without a signature. */
import { both, type CheatMethod, done } from "./cheat-method.ts";
import { addressOf, flagOf } from "./cheat-params.ts";

export const impersonationMethods: readonly (readonly [string, CheatMethod])[] = [
  ...done(both("impersonateAccount"), ({ evmControls }, [address]) => evmControls.impersonate(addressOf(address), true)),
  ...done(both("stopImpersonatingAccount"), ({ evmControls }, [address]) => evmControls.impersonate(addressOf(address), false)),
  ...done(both("autoImpersonateAccount"), ({ evmControls }, [isOn]) => evmControls.impersonateAll(flagOf(isOn, "the first parameter"))),
];
