/** Checks that EVM accounts can pay for exports, with the node's texts: coreth's before Helicon, saevm's since. */

import { formatEvmAddress } from "../../../base/bytes/evm-address.ts";
import type { Id, ShortId } from "../../../base/bytes/id.ts";
import type { AtomicExport, AtomicTx } from "../../../chains/atomic/tx.ts";
import { RuleError } from "../../../network/execution.ts";
import { type Accounts, NAVAX } from "../accounts.ts";

export function verifyAccounts({ unsigned }: AtomicTx, accounts: Accounts, avaxAssetId: Id, { isHelicon }: { isHelicon: boolean }): void {
  if (unsigned.kind === "ImportTx") return;
  if (isHelicon) verifyDebits(unsigned, accounts, avaxAssetId);
  else verifyInputs(unsigned, accounts, avaxAssetId);
}

/** coreth debits the inputs one after the other. */
function verifyInputs({ inputs }: AtomicExport, accounts: Accounts, avaxAssetId: Id): void {
  const left = new Map([...accounts].map(([address, { balance }]) => [address, balance]));
  for (const { address, assetId, amount, nonce } of inputs) {
    // no other asset can be in an account, because it cannot be imported
    const balance = (assetId === avaxAssetId ? left.get(address)! : 0n) - amount * NAVAX;
    if (balance < 0n) throw new RuleError("insufficient-funds", "insufficient funds");
    left.set(address, balance);
    if (accounts.get(address)!.nonce !== nonce) throw new RuleError("invalid-nonce", "invalid nonce");
  }
}

/** saevm debits the sum of all inputs from each account at once. */
function verifyDebits({ inputs }: AtomicExport, accounts: Accounts, avaxAssetId: Id): void {
  const debits = new Map<ShortId, { nonce: bigint; amount: bigint }>();
  for (const { address, assetId, amount, nonce } of inputs) {
    const debit = debits.get(address) ?? { nonce, amount: 0n };
    if (debit.nonce !== nonce) {
      const text = `as op: multiple nonces for address: address ${formatEvmAddress(address)} has nonces ${debit.nonce} and ${nonce}`;
      throw new RuleError("invalid-nonce", text);
    }
    debits.set(address, { nonce, amount: debit.amount + (assetId === avaxAssetId ? amount * NAVAX : 0n) });
  }
  for (const [address, debit] of debits) {
    const { nonce, balance } = accounts.get(address)!;
    const who = `address ${formatEvmAddress(address)}`;
    if (nonce !== debit.nonce) {
      throw new RuleError("invalid-nonce", `state verification: nonce mismatch: ${who} has nonce ${nonce} but needs ${debit.nonce}`);
    }
    if (balance >= debit.amount) continue;
    const text = `state verification: insufficient funds: ${who} has balance ${balance} but needs ${debit.amount}`;
    throw new RuleError("insufficient-funds", text);
  }
}
