/** Devnets for tests of the engine: in this process, without HTTP and without the C-chain's EVM, on a constant wall clock. */
import { pino } from "pino";
import { formatAddress } from "../../src/base/bytes/address.ts";
import { type Id, PLATFORM_CHAIN_ID, type ShortId } from "../../src/base/bytes/id.ts";
import { Devnet } from "../../src/devnet/devnet.ts";
import { devnetNetwork } from "../../src/devnet/devnet-network.ts";
import type { DevnetOptions } from "../../src/devnet/devnet-types.ts";
import { blocks, PLATFORM_UTXOS, utxosByAddress } from "../../src/index/tables.ts";
import { afterEveryTest } from "../after-every-test.ts";
import { key } from "../chains/asset/wallet.ts";
import { scratchDirectory } from "../store/scratch.ts";

/** 2026-11-21 */
export const NOW = 1_795_219_200n;
export const AVAX = 1_000_000_000n;
export const DAY = 86_400n;
const NANOSECONDS = 1_000_000_000n;

const running: Devnet[] = [];

afterEveryTest(async () => {
  for (const devnet of running.splice(0)) await devnet.stop();
});

/** A wall clock that a test moves. */
export class StillClock {
  now = NOW * NANOSECONDS;

  readonly read = (): bigint => this.now;
}

export interface TestNetwork {
  readonly upgrades?: string;
  readonly directory?: string;
  readonly wallClock?: StillClock;
}

export async function startNetwork(
  { upgrades, directory = scratchDirectory(), wallClock = new StillClock() }: TestNetwork = {},
  options: Partial<DevnetOptions> = {},
): Promise<{ devnet: Devnet; directory: string; wallClock: StillClock }> {
  const { network, networkFile } = devnetNetwork({ now: NOW, upgrades });
  const log = pino({ level: process.env.FIRN_TEST_LOG ?? "silent" });
  const devnet = await Devnet.open({
    dataDirectory: directory,
    network,
    networkFile,
    log,
    evm: false,
    wallClock: wallClock.read,
    ...options,
  });
  running.push(devnet);
  return { devnet, directory, wallClock };
}

/** Somebody who has nothing. */
export function stranger(name: string, chain: "P" | "X") {
  const { privateKey, address } = key(`stranger ${name}`);
  return { privateKey, address, text: textOf({ address }, chain) };
}

export function textOf({ address }: { readonly address: ShortId }, chain: "P" | "X"): string {
  return formatAddress(chain, "local", address);
}

export type ChainName = "P" | "X" | "C";

export function chainIdOf({ network }: Devnet, chain: ChainName | Id): Id {
  const named: Readonly<Record<string, Id>> = { P: PLATFORM_CHAIN_ID, X: network.xChainId, C: network.cChainId };
  return named[chain] ?? chain;
}

/** Of the newest stored block. */
export async function heightOf(devnet: Devnet, chain: ChainName | Id): Promise<bigint> {
  const [newest] = await devnet.store.scan(blocks, { prefix: { chainId: chainIdOf(devnet, chain) }, reverse: true, limit: 1 });
  return newest?.key.height ?? 0n;
}

export async function utxoCount(devnet: Devnet, chain: "P" | "X", address: ShortId): Promise<number> {
  const prefix = { chain: chain === "P" ? PLATFORM_UTXOS : 0, address };
  return (await devnet.store.scan(utxosByAddress, { prefix, limit: 10_000 })).length;
}
