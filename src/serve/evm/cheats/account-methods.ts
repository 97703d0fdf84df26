/** Methods by which tests edit accounts of the C-chain. No transaction explains such a change; it is there after a restart. */

import { toHex } from "../../../devnet/anvil/header.ts";
import type { EvmEdit } from "../../../devnet/anvil/sealing/evm-edits.ts";
import { both, type CheatMethod, type DevnetOfTests, done } from "./cheat-method.ts";
import { addressOf, bytesOf, whole, wordOf } from "./cheat-params.ts";

const MOST_256 = 2n ** 256n - 1n;
/** EIP-2681 */
const MOST_NONCE = 2n ** 64n - 2n;
/** EIP-170: what a contract of the C-chain may have */
const MOST_CODE_BYTES = 24_576;

type Params = readonly unknown[];

export const accountMethods: readonly (readonly [string, CheatMethod])[] = [
  ...done([...both("setBalance"), "tenderly_setBalance"], edit(balance)),
  ...done([...both("addBalance"), "tenderly_addBalance"], addBalance),
  ...done([...both("setNonce"), "evm_setAccountNonce"], edit(nonce)),
  ...done(both("setCode"), edit(code)),
  ["hardhat_setStorageAt", setStorage],
  ["anvil_setStorageAt", setStorage],
];

function edit(of: (params: Params) => EvmEdit): (devnet: DevnetOfTests, params: Params) => Promise<void> {
  return ({ evmControls }, params) => evmControls.edit([of(params)]);
}

function balance([address, wei]: Params): EvmEdit {
  return { kind: "balance", address: addressOf(address), value: whole(wei, "the balance in wei", MOST_256) };
}

function nonce([address, value]: Params): EvmEdit {
  return { kind: "nonce", address: addressOf(address), value: whole(value, "the nonce", MOST_NONCE) };
}

function code([address, bytes]: Params): EvmEdit {
  return { kind: "code", address: addressOf(address), code: bytesOf(bytes, "the code", MOST_CODE_BYTES) };
}

async function addBalance({ evmControls }: DevnetOfTests, [given, wei]: Params): Promise<void> {
  const address = addressOf(given);
  const more = whole(wei, "the amount in wei", MOST_256);
  await evmControls.edit(async (evm) => {
    const { balance: before } = (await evm.sealing.accounts([address])).get(address)!;
    return [{ kind: "balance", address, value: before + more > MOST_256 ? MOST_256 : before + more }];
  });
}

/** Both development nodes answer `true`. */
async function setStorage({ evmControls }: DevnetOfTests, [address, slot, value]: Params): Promise<true> {
  const at = toHex(whole(slot, "the slot", MOST_256))
    .slice(2)
    .padStart(64, "0");
  await evmControls.edit([{ kind: "storage", address: addressOf(address), slot: at, value: wordOf(value, "the value") }]);
  return true;
}
