/** Prices of calls to the C-chain's EVM under rate limits, in compute units. Like Firn's own methods they are priced by kind of work. */
import type { EvmCall } from "../../devnet/anvil/evm-call.ts";
import { cheatMethods } from "./cheats/cheat-methods.ts";

/** The price of all other methods: a lookup by key. */
const LOOKUP_UNITS = 10;

/** Answered without a lookup. */
const FIXED = price(
  1,
  "eth_chainId",
  "net_version",
  "net_listening",
  "web3_clientVersion",
  "eth_accounts",
  "eth_syncing",
  "eth_unsubscribe",
);
/** Runs the EVM, or reads many rows. */
const EXECUTION = price(
  20,
  ...["eth_call", "eth_estimateGas", "eth_createAccessList", "eth_getLogs", "eth_getFilterLogs", "eth_getFilterChanges", "eth_feeHistory"],
  ...["eth_getBlockReceipts", "eth_getProof", "eth_callDetailed"],
);
/** Changes the network, or keeps state for the client. */
const CHANGE = price(50, "eth_sendRawTransaction", "eth_sendTransaction", "eth_subscribe", "eth_newFilter", "eth_newBlockFilter");

const PRICES: ReadonlyMap<string, number> = new Map([...FIXED, ...EXECUTION, ...CHANGE]);
/** Runs one or more transactions again, step by step. */
const TRACE = /^(?:debug|trace|ots)_/;
const TRACE_UNITS = 100;
/** as much as the dearest method of `firn.*`, which does the same to the network */
const CHEAT_UNITS = 100;

function price(units: number, ...methods: string[]): (readonly [string, number])[] {
  return methods.map((method) => [method, units]);
}

/** `calls` is undefined if the body cannot be read. */
export function priceOfCalls(calls: readonly Pick<EvmCall, "method">[] | undefined): number {
  return calls === undefined
    ? 1
    : Math.max(
        1,
        calls.reduce((sum, call) => sum + priceOfCall(call), 0),
      );
}

function priceOfCall({ method = "" }: Pick<EvmCall, "method">): number {
  if (cheatMethods.has(method)) return CHEAT_UNITS;
  return PRICES.get(method) ?? (TRACE.test(method) ? TRACE_UNITS : LOOKUP_UNITS);
}
