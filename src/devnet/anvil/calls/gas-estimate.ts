/**
 * Says of a call whose gas shall be estimated why its sender cannot pay it, in coreth's words (`gasestimator`). The child estimates a plain
 * payment without a look at the sender's balance, and has words of its own for the rest.
 */

import { smaller } from "../../../base/bytes/amount.ts";
import { formatEvmAddress } from "../../../base/bytes/evm-address.ts";
import type { EvmChainSpec } from "../chains/evm-chain-spec.ts";
import type { EvmCall } from "../evm-call.ts";
import { EvmRequestError } from "../evm-error.ts";
import { MOST_GAS } from "./bounded-call.ts";

export const ESTIMATE = "eth_estimateGas";
/** Without any of these there is nothing to pay. */
const PAYS = /"(?:value|gasPrice|maxFeePerGas)|\\u/;
const PLAIN_GAS = 21_000n;
const NOBODY = `0x${"0".repeat(40)}`;
const ADDRESS = /^0x[0-9a-f]{40}$/i;
/** how the child ends its sentence about the same */
const CHILDS_ALLOWANCE = /"code":-?\d+,"message":"Out of gas: gas required exceeds allowance: (\d+)"/;

type Json = Readonly<Record<string, unknown>>;

interface EstimateParts {
  readonly spec: Pick<EvmChainSpec, "gasLimit">;
  request(method: string, params: readonly unknown[]): Promise<unknown>;
}

/** Returns undefined if the sender can pay, or if the child will refuse the call anyway. */
export async function whyUnpayable({ raw }: EvmCall, { spec, request }: EstimateParts): Promise<string | undefined> {
  if (!PAYS.test(raw)) return undefined;
  const { params } = JSON.parse(raw) as { readonly params?: unknown };
  const [call, block, overrides] = (Array.isArray(params) ? params : []) as [unknown, unknown, unknown];
  const { from = NOBODY, value, gas, gasPrice, maxFeePerGas = gasPrice } = objectOf(call);
  const [amount, fee, asked] = [value, maxFeePerGas, gas].map(quantity);
  if (amount === undefined || fee === undefined || asked === undefined || typeof from !== "string" || !ADDRESS.test(from)) return undefined;
  if (amount === 0n && fee === 0n) return undefined;
  const balance = overriddenBalance(overrides, from) ?? (await balanceAt(from, block ?? "latest", request));
  if (balance === undefined) return undefined;
  const most = smaller(asked >= PLAIN_GAS ? asked : spec.gasLimit, MOST_GAS);
  if (fee === 0n) {
    if (amount <= balance) return undefined;
    const address = formatEvmAddress(from.slice(2).toLowerCase());
    return `failed with ${most} gas: insufficient funds for gas * price + value: address ${address} have ${balance} want ${amount}`;
  }
  if (amount >= balance) return "insufficient funds for transfer";
  const allowance = (balance - amount) / fee;
  return allowance < PLAIN_GAS ? `gas required exceeds allowance (${allowance})` : undefined;
}

/** Returns the child's answer, with coreth's words if the gas that the sender can pay does not suffice. */
export function withAllowance(answer: Buffer): Buffer {
  const text = answer.toString();
  return CHILDS_ALLOWANCE.test(text)
    ? Buffer.from(text.replace(CHILDS_ALLOWANCE, '"code":-32000,"message":"gas required exceeds allowance ($1)"'))
    : answer;
}

/** Returns undefined at a block that the child does not know. */
async function balanceAt(address: string, block: unknown, request: EstimateParts["request"]): Promise<bigint | undefined> {
  try {
    return BigInt((await request("eth_getBalance", [address, block])) as string);
  } catch (error) {
    if (error instanceof EvmRequestError) return undefined;
    throw error;
  }
}

function overriddenBalance(overrides: unknown, from: string): bigint | undefined {
  const [, account] = Object.entries(objectOf(overrides)).find(([address]) => address.toLowerCase() === from.toLowerCase()) ?? [];
  const { balance } = objectOf(account);
  return balance === undefined ? undefined : quantity(balance);
}

function objectOf(value: unknown): Json {
  return typeof value === "object" && value !== null ? (value as Json) : {};
}

/** 0 for what is left out; undefined for what is no quantity. */
function quantity(value: unknown): bigint | undefined {
  if (value === undefined || value === null) return 0n;
  return typeof value === "string" && /^0x[0-9a-f]{1,64}$/i.test(value) ? BigInt(value) : undefined;
}
