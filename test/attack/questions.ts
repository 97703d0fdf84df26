/** The requests that the well-behaved client sends to each interface of a target. */
import type { TargetKind } from "./attack.ts";

export interface Question {
  readonly name: string;
  readonly path: string;
  /** undefined: GET */
  readonly body?: string;
  /** part of a right answer */
  readonly holds: string;
  /** the answer never changes */
  readonly isFixed?: boolean;
  readonly isWebSocket?: boolean;
}

export function callOf(method: string, params: unknown): string {
  return JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
}

/** Addresses of who owns something: `scale-1`'s largest holder, and the funded key of a devnet. */
export const HOLDERS = {
  serve: "custom1jyhtswjg9f2wuf0f8cdml9k6mdxstv8g6n7m22",
  devnet: "local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u",
} as const;

/** of addresses of each target's network */
export const HRPS: Readonly<Record<TargetKind, string>> = {
  serve: "custom",
  devnet: "local",
  follow: "local",
  "follow-postgres": "local",
  peers: "custom",
};

export const EVM_HOLDER = "0x8db97C7cEcE249c2b98bDC0226Cc4C2A57BF52FC";

function ofPrimaryNetwork(holder: string, isFixed: boolean): Question[] {
  const rpc = (path: string, method: string, params: unknown): Question => ({
    name: method,
    path,
    body: callOf(method, params),
    holds: '"result"',
    isFixed,
  });
  return [
    rpc("/ext/bc/P", "platform.getHeight", {}),
    rpc("/ext/bc/P", "platform.getBalance", { addresses: [`P-${holder}`] }),
    rpc("/ext/bc/X", "avm.getUTXOs", { addresses: [`X-${holder}`], limit: 10 }),
    rpc("/ext/info", "info.getNetworkID", {}),
    { name: "v1 balances", path: `/v1/networks/fuji/blockchains/p-chain/balances?addresses=P-${holder}`, holds: '"balances"', isFixed },
    { name: "v1 transactions", path: "/v1/networks/fuji/blockchains/x-chain/transactions?pageSize=10", holds: '"transactions"', isFixed },
  ];
}

function ofEvmChain(): Question[] {
  return [
    { name: "v1 EVM transactions", path: "/v1/chains/43112/transactions?pageSize=10", holds: '"transactions"' },
    { name: "v1 EVM transactions of an address", path: `/v1/chains/43112/addresses/${EVM_HOLDER}/transactions`, holds: '"transactions"' },
  ];
}

function ofFollower(): Question[] {
  return [...ofEvmChain(), { name: "v1 chains", path: "/v1/chains", holds: '"chains"' }];
}

const blockNumber = callOf("eth_blockNumber", []);

const questions: Readonly<Record<TargetKind, readonly Question[]>> = {
  serve: ofPrimaryNetwork(HOLDERS.serve, true),
  devnet: [
    ...ofPrimaryNetwork(HOLDERS.devnet, false),
    ...ofEvmChain(),
    { name: "C/rpc", path: "/ext/bc/C/rpc", body: blockNumber, holds: '"result":"0x' },
    { name: "C/ws", path: "/ext/bc/C/ws", body: blockNumber, holds: '"result":"0x', isWebSocket: true },
    { name: "firn.getStatus", path: "/ext/firn", body: callOf("firn.getStatus", {}), holds: '"result"' },
  ],
  follow: ofFollower(),
  "follow-postgres": ofFollower(),
  peers: ofPrimaryNetwork(HOLDERS.serve, true),
};

export function questionsTo(target: TargetKind): readonly Question[] {
  return questions[target];
}
