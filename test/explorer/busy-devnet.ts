/** A local network with something of everything: payments on and between all chains, tokens, a failed call, an L1, names that try to do harm. */
import { type Abi, createPublicClient, createWalletClient, defineChain, http } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { type LocalNetwork, startDevnet } from "../../src/serve/local-network/start.ts";
import { LoadClient } from "../devnet/load/load-client.ts";
import { PlainWallet } from "../devnet/load/plain-wallet.ts";
import { networkOf } from "../devnet/load/wallet-network.ts";
import { Random } from "../fuzz/mutate.ts";
import { delay } from "../patience.ts";
import { tokenContract } from "../sdk/devnet/tokens.ts";

/** A script, right-to-left text, characters without width, a template, quotes. */
export const HOSTILE_NAMES = [
  `<script>document.title="owned"</script><img src=x onerror="document.title='owned'">`,
  "\u202egnp.eruces\u202c \u2066\u200b\u0000 שלום مرحبا",
  `{{7*7}}$\{7*7}"'\`--><svg onload=alert(1)>`,
  "9".repeat(10_000),
] as const;

export interface BusyDevnet {
  readonly network: LocalNetwork;
  readonly url: string;
  /** contracts by what they are */
  readonly contracts: Readonly<Record<"coin" | "nft" | "multi" | "failer", string>>;
  /** tokens with the `HOSTILE_NAMES` */
  readonly hostile: readonly string[];
  /** a transaction that reverts with a reason */
  readonly failed: string;
  /** Issues random payments on and between P, X and C for as long as it is told to. */
  load(isRunning: () => boolean): Promise<void>;
  stop(): Promise<void>;
}

/** The largest amount that a contract can hold. */
const MOST = 2n ** 256n - 1n;
const PAYMENTS = 30;
/** Between two payments while somebody looks on. */
const PACE_MS = 100;

export async function startBusyDevnet(): Promise<BusyDevnet> {
  const network = await startDevnet();
  const url = new URL(network.urls.P).origin;
  const account = privateKeyToAccount(network.accounts[1]!.privateKeyHex as `0x${string}`);
  const other = network.accounts[2]!.addresses.evm as `0x${string}`;
  const rpc = `${url}/ext/bc/C/rpc`;
  const chain = defineChain({
    id: 43112,
    name: "C",
    nativeCurrency: { name: "AVAX", symbol: "AVAX", decimals: 18 },
    rpcUrls: { default: { http: [rpc] } },
  });
  const parts = { chain, transport: http(rpc), pollingInterval: 20 };
  const [wallet, reader] = [createWalletClient({ account, ...parts }), createPublicClient(parts)];
  const settled = async (hash: `0x${string}`) => reader.waitForTransactionReceipt({ hash });
  const deploy = async (name: string, args: readonly unknown[]) => {
    const { abi, bytecode } = tokenContract(name);
    return (await settled(await wallet.deployContract({ abi: abi as Abi, bytecode, args }))).contractAddress!;
  };
  const call = async (name: string, address: `0x${string}`, functionName: string, args: readonly unknown[], gas?: bigint) => {
    const hash = await wallet.writeContract({ abi: tokenContract(name).abi as Abi, address, functionName, args, ...(gas && { gas }) });
    return (await settled(hash)).transactionHash;
  };

  const coin = await deploy("Coin", ["Grain Dollar", "GRAIN", 6, 1_000_000_000_000n, account.address]);
  await call("Coin", coin, "transfer", [other, 1_234_567n]);
  await call("Coin", coin, "approve", [other, 5n]);
  const nft = await deploy("Nft", ["Flakes", "FLAKE", "https://example.org/"]);
  await call("Nft", nft, "mint", [account.address, 4n]);
  await call("Nft", nft, "mintMany", [other, 10n, 3n]);
  const multi = await deploy("NamedMulti", ["https://example.org/{id}.json"]);
  await call("NamedMulti", multi, "mintBatch", [account.address, [7n, 8n], [10n, MOST]]);
  const failer = await deploy("Failer", []);
  const failed = await call("Failer", failer, "withReason", [], 100_000n);
  const hostile = [];
  for (const name of HOSTILE_NAMES) hostile.push(await deploy("Coin", [name, name.slice(0, 200), 255, MOST, account.address]));

  const random = new Random(7);
  const payer = new PlainWallet(await networkOf(url), Buffer.from(network.accounts[0]!.privateKeyHex.slice(2), "hex"));
  let pace = 0;
  const turn = () => delay(pace);
  const client = new LoadClient({ url: () => url, wallet: payer, random, journal: [], turn });
  await client.run(() => client.counts.accepted < PAYMENTS);
  await network.createL1({ name: "dex", validators: 2 });
  return {
    ...{ network, url, contracts: { coin, nft, multi, failer }, hostile, failed },
    load(isRunning) {
      pace = PACE_MS;
      return client.run(isRunning);
    },
    stop: () => network.stop(),
  };
}
