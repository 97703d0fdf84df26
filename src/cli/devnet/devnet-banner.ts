/** Shows what a person needs to use a devnet that has just started. */
import type { DevnetAccount } from "../../devnet/accounts.ts";
import type { NetworkDescription } from "../../serve/local-network/describe.ts";
import { devnetSnippets } from "./devnet-snippets.ts";

export interface BannerOptions {
  readonly isTemporary: boolean;
  readonly blockTimeMs: number | undefined;
  /** false: the C-chain does not run */
  readonly hasEvm: boolean;
  readonly hasExplorer: boolean;
}

export function devnetBanner(network: NetworkDescription, options: BannerOptions): string {
  const sections = [
    [`Firn runs network ${network.networkId} (${network.networkName}): ${eraText(network)}; ${paceText(options)}.`],
    endpoints(network, options),
    ...accounts(network),
    ids(network),
    clock(network, options),
    ["to paste", ...devnetSnippets(network, options).flatMap((lines) => ["", ...lines.map((line) => `  ${line}`)])],
    ["Run firn --help for commands that move the clock, mine, fund, snapshot and revert. Ctrl-C stops the network."],
  ];
  return `\n${sections.map((lines) => lines.join("\n")).join("\n\n")}\n\n`;
}

function eraText({ upgrades, time }: NetworkDescription): string {
  const names = Object.keys(upgrades);
  const active = names.filter((name) => upgrades[name]! <= time).at(-1)!;
  const coming = names.filter((name) => upgrades[name]! > time).map((name) => `${name} at ${timeText(upgrades[name]!)}`);
  if (active === "helicon") return "all upgrades are active";
  return coming.length === 0 ? `${active} is active` : `${active} is active, ${coming.join(", ")}`;
}

function paceText({ blockTimeMs }: BannerOptions): string {
  return blockTimeMs === undefined ? "transactions are accepted at once" : `a block every ${blockTimeMs / 1000} s`;
}

function endpoints({ urls, evmChainId }: NetworkDescription, { hasEvm, hasExplorer }: BannerOptions): string[] {
  const evm = [`  C-chain      ${urls.C}  (chain ID ${evmChainId})`, `               ${urls.cWebSocket}`];
  return [
    "endpoints",
    ...(hasExplorer ? [`  explorer     ${urls.explorer}`] : []),
    `  P-chain      ${urls.P}`,
    `  X-chain      ${urls.X}`,
    ...(hasEvm ? evm : ["  C-chain      does not run (--no-evm)"]),
    `  Data API     ${urls.dataApi}  (reference: ${urls.docs})`,
    `  development  ${urls.development}`,
  ];
}

const MOST_SHOWN = 9;

function accounts({ accounts: [first, ...others], mnemonic }: NetworkDescription): string[][] {
  if (first === undefined) return [["no funded keys", "  the genesis funds none that Firn knows"]];
  if (others.length === 0) return [account(first)];
  const hidden = others.length - MOST_SHOWN;
  const more = [
    `${others.length} more, of "${mnemonic}" (m/44'/60'/0'/0/i)`,
    ...others.slice(0, MOST_SHOWN).map(({ addresses, privateKeyHex }) => `  ${addresses.evm}  ${privateKeyHex}`),
    ...(hidden > 0 ? [`  and ${hidden} more: firn accounts`] : []),
  ];
  return [account(first), more];
}

function account({ name, privateKey, privateKeyHex, addresses }: DevnetAccount): string[] {
  return [
    `funded key "${name}" (public: for tests only)`,
    `  private key  ${privateKey}`,
    `               ${privateKeyHex}`,
    `  P-chain      ${addresses.P}`,
    `  X-chain      ${addresses.X}`,
    `  C-chain      ${addresses.evm}  (${addresses.C})`,
  ];
}

function ids({ blockchainIds, avaxAssetId, nodeId }: NetworkDescription): string[] {
  return [
    "IDs",
    `  P-chain      ${blockchainIds.P}`,
    `  X-chain      ${blockchainIds.X}`,
    `  C-chain      ${blockchainIds.C}`,
    `  AVAX         ${avaxAssetId}`,
    `  node         ${nodeId}`,
  ];
}

function clock({ time, genesisTime, dataDirectory }: NetworkDescription, { isTemporary }: BannerOptions): string[] {
  return [
    "state",
    `  clock        ${timeText(time)}  (genesis ${timeText(genesisTime)})`,
    `  folder       ${dataDirectory}${isTemporary ? "  (temporary; --data-dir keeps one)" : ""}`,
  ];
}

function timeText(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replace(".000Z", "Z");
}
