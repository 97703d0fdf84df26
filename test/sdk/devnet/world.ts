/** A development network of its own for a test file: a wallet, funded accounts, and what holds both interfaces against each other. */
import { type LocalNetwork, type StartDevnetOptions, startDevnet } from "../../../src/devnet/start.ts";
import type { Account } from "../wallet.ts";
import { ewoq } from "./accounts.ts";
import { Agreement } from "./agreement.ts";
import { IssuingWallet } from "./issuing-wallet.ts";

export interface World {
  readonly network: LocalNetwork;
  readonly wallet: IssuingWallet;
  readonly agreement: Agreement;
  stop(): Promise<void>;
}

/** @param everybody whose funds are compared, besides the pre-funded account */
export async function openWorld(everybody: readonly Account[], options: StartDevnetOptions = {}): Promise<World> {
  const network = await startDevnet(options);
  const wallet = await IssuingWallet.open(network.url);
  return { network, wallet, agreement: new Agreement(network, wallet, [ewoq, ...everybody]), stop: () => network.stop() };
}

export const AVAX = 1_000_000_000n;
