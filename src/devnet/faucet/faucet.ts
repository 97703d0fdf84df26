/** Pays from the key that genesis funds, with ordinary transactions. */

import { splitAddress } from "../../base/bytes/address.ts";
import { subtractToZero } from "../../base/bytes/amount.ts";
import { formatId } from "../../base/bytes/cb58.ts";
import { correctedChecksum } from "../../base/bytes/evm-address.ts";
import { type Id, PLATFORM_CHAIN_ID, type ShortId } from "../../base/bytes/id.ts";
import { FirnError } from "../../base/errors/errors.ts";
import { addressOf, evmAddressOf } from "../../base/signatures/secp256k1.ts";
import { exponentialPrice } from "../../chains/platform/complexity.ts";
import { platformChain } from "../../chains/platform/tables.ts";
import { isActive, type NetworkInstance } from "../../network/network.ts";
import type { Store } from "../../store/store.ts";
import { EWOQ_KEY } from "../account-keys.ts";
import { fundedKeys } from "../accounts.ts";
import { evmCall } from "../anvil/evm-call.ts";
import type { EvmNode } from "../anvil/evm-node.ts";
import { toHex } from "../anvil/header.ts";
import { signTransaction } from "../anvil/pool/sign-transaction.ts";
import type { Clock } from "../devnet-types.ts";
import { exportFromAsset, payOnAsset } from "./asset-payment.ts";
import { importOnPlatform, payOnPlatform } from "./platform-payment.ts";
import type { Payer } from "./spendable.ts";

// Payments on the C-chain: a plain signed EVM transaction (EIP-155).

interface EvmPayment {
  readonly key: Uint8Array;
  readonly to: ShortId;
  /** nAVAX */
  readonly amount: bigint;
}

/** aAVAX per nAVAX */
const PER_NANO_AVAX = 1_000_000_000n;

/** Returns the transaction's hash once the child has accepted it; if blocks are built at once, that is after its block. */
async function payOnEvm(evm: EvmNode, { key, to, amount }: EvmPayment): Promise<Id> {
  const from = `0x${evmAddressOf(key)}`;
  const value = amount * PER_NANO_AVAX;
  const ask = async (method: string, ...params: unknown[]) => BigInt((await evm.request(method, params)) as string);
  const balance = await ask("eth_getBalance", from, "latest");
  const gasPrice = await ask("eth_gasPrice");
  const gas = await ask("eth_estimateGas", { from, to: `0x${to}`, value: `0x${(balance < value ? 0n : value).toString(16)}` });
  const needed = value + gas * gasPrice;
  if (balance < needed) {
    throw new FirnError("no-funds", `the pre-funded key has ${balance} aAVAX on the C-chain, but needs ${needed}`, { balance, needed });
  }
  const chainId = await ask("eth_chainId");
  const nonce = await ask("eth_getTransactionCount", from, "pending");
  const quantities = { nonce: toHex(nonce), gasPrice: toHex(gasPrice), gas: toHex(gas), value: toHex(value) };
  const raw = signTransaction({ type: "0x0", chainId: toHex(chainId), ...quantities, to: `0x${to}`, input: "0x" }, key);
  const call = evmCall(1, "eth_sendRawTransaction", [`0x${raw.toString("hex")}`]);
  const { result, error } = JSON.parse((await evm.forward(call)).toString()) as { result?: string; error?: { message: string } };
  if (result === undefined) throw new FirnError("evm-refused", `the C-chain refused the payment: ${error?.message}`);
  return result.slice(2);
}

interface FaucetParts {
  readonly store: Store;
  readonly network: NetworkInstance;
  readonly clock: Clock;
  readonly evm: EvmNode | undefined;
  /** Resolves once the transaction is in a block. */
  readonly accept: (chainId: Id, bytes: Uint8Array) => Promise<Id>;
}

/** The gas price may rise with the blocks built before the payment. The excess is burned. */
const GAS_PRICE_MARGIN = 2n;
const EVM_ADDRESS = /^(?:C-)?0x([0-9a-fA-F]{40})$/;
const ADDRESS_BYTES = 20;

/** @returns the transaction's ID in cb58, or on the C-chain its hash, `0x…` */
export async function pay(parts: FaucetParts, address: string, amount: bigint): Promise<string> {
  const { store, network, clock } = parts;
  if (amount <= 0n) throw new FirnError("amount", `the amount is ${amount} nAVAX; use an amount above 0`);
  if (fundedKeys(network, [{ name: "ewoq", key: EWOQ_KEY }]).length === 0) {
    throw new FirnError("no-key", "the genesis of this network funds no key that Firn knows; pay from a key of your own");
  }
  const evmAddress = EVM_ADDRESS.exec(address)?.[1];
  if (evmAddress !== undefined) {
    const right = correctedChecksum(`0x${evmAddress}`);
    if (right !== undefined)
      throw new FirnError(
        "address",
        `the checksum of ${address} is wrong: a digit may be mistyped; give ${right} if that address is meant, or all lowercase`,
      );
    return `0x${await payOnEvm(requireEvm(parts.evm), { key: EWOQ_KEY, to: evmAddress.toLowerCase(), amount })}`;
  }
  const { alias, to } = parseRecipient(address, network);
  const payer: Payer = { store, network, key: EWOQ_KEY, owner: addressOf(EWOQ_KEY), clock: clock.seconds() };
  if (alias === "X") return formatId(await parts.accept(network.xChainId, (await payOnAsset(payer, { to, amount })).bytes));
  return formatId(await payPlatform(parts, payer, { to, amount }));
}

/** Before Durango the P-chain has no plain transfer; an import from X can pay any address. */
async function payPlatform({ accept }: FaucetParts, payer: Payer, payment: { to: ShortId; amount: bigint }): Promise<Id> {
  const row = (await payer.store.get(platformChain, { slot: 0 }))!;
  const { minGasPrice, excessConversionConstant } = payer.network.dynamicFees;
  const price = exponentialPrice(minGasPrice, row.feeExcess, excessConversionConstant) * GAS_PRICE_MARGIN;
  const time = row.timestamp + subtractToZero(payer.clock, row.timestamp);
  const gasPrice = isActive(payer.network, "etna", time) ? price : undefined;
  if (isActive(payer.network, "durango", time)) {
    return accept(PLATFORM_CHAIN_ID, (await payOnPlatform(payer, { ...payment, gasPrice })).bytes);
  }
  const { tx, exported } = await exportFromAsset(payer, payment.amount + payer.network.txFee);
  await accept(payer.network.xChainId, tx.bytes);
  return accept(PLATFORM_CHAIN_ID, importOnPlatform(payer, exported, payment).bytes);
}

function requireEvm(evm: EvmNode | undefined): EvmNode {
  if (evm === undefined) throw new FirnError("no-evm", "the C-chain does not run; start the network without --no-evm to pay there");
  return evm;
}

function parseRecipient(text: string, { hrp }: NetworkInstance): { alias: "P" | "X"; to: ShortId } {
  const wanted = `give P-${hrp}1…, X-${hrp}1… or 0x…`;
  let parts: ReturnType<typeof splitAddress>;
  try {
    parts = splitAddress(text);
  } catch (error) {
    if (!(error instanceof FirnError)) throw error;
    throw new FirnError("address", `${text} is not an address (${error.message}); ${wanted}`, {}, { cause: error });
  }
  const { chainAlias, hrp: found, bytes } = parts;
  if (found !== hrp) throw new FirnError("address", `${text} is an address of another network; ${wanted}`);
  if (bytes.length !== ADDRESS_BYTES) throw new FirnError("address", `${text} has ${bytes.length} bytes, an address has ${ADDRESS_BYTES}`);
  if (chainAlias === "C") throw new FirnError("address", `${text} is not an account; accounts of the C-chain are 0x…`);
  if (chainAlias !== "P" && chainAlias !== "X") throw new FirnError("address", `${text} is not on the P-, X- or C-chain; ${wanted}`);
  return { alias: chainAlias, to: bytes.toString("hex") };
}
