/** A test file's own development network: a wallet, funded accounts, and comparisons of both interfaces. */

import * as avalanchejs from "@avalabs/avalanchejs";
import { type LocalNetwork, type StartDevnetOptions, startDevnet } from "../../../src/serve/local-network/start.ts";
import type { Account, Anything } from "../wallet.ts";
import { ewoq } from "./accounts.ts";
import { Agreement } from "./agreement.ts";
import { IssuingWallet } from "./issuing-wallet.ts";

const { pvm }: Anything = avalanchejs;

export interface World {
  readonly network: LocalNetwork;
  readonly wallet: IssuingWallet;
  readonly agreement: Agreement;
  stop(): Promise<void>;
}

/** @param everybody whose funds are compared, besides the pre-funded account */
export async function openWorld(everybody: readonly Account[], options: StartDevnetOptions = {}): Promise<World> {
  const network = await startDevnet(options);
  const wallet = await IssuingWallet.open(network.url, { isInstant: options.blockTimeMs === undefined });
  return { network, wallet, agreement: new Agreement(network, wallet, [ewoq, ...everybody]), stop: () => network.stop() };
}

/**
 * Warp messages are verified by who validated when an epoch began. The first block after its end seals it, and the next one is of a new
 * epoch; the P-chain makes neither without a transaction.
 */
export async function startEpoch({ network, wallet }: World): Promise<void> {
  await network.advanceTime(network.devnet.network.upgrades.graniteEpochDuration / NANOSECONDS);
  const outputs = [wallet.output(1n, [ewoq])];
  await wallet.issue("P", pvm.newBaseTx({ ...(await wallet.platform([ewoq])), outputs }, wallet.context), [ewoq]);
}
const NANOSECONDS = 1_000_000_000n;

export const AVAX = 1_000_000_000n;
