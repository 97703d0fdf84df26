/**
 * Sends more transactions than a mempool accepts to a devnet that builds no block meanwhile: the excess is refused with the node's text,
 * and the process does not grow.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../../bench/free-port.ts";
import { parseId } from "../../src/base/bytes/cb58.ts";
import { EWOQ_KEY } from "../../src/devnet/account-keys.ts";
import { call } from "../devnet/json-rpc.ts";
import { isAccepted } from "../devnet/load/load-client.ts";
import { type Coin, coinsOf, FEE, PlainWallet, type SignedIssue } from "../devnet/load/plain-wallet.ts";
import { networkOf } from "../devnet/load/wallet-network.ts";
import { DevnetProcess } from "./devnet-process.ts";

export interface FloodOptions {
  readonly chain: "P" | "X";
  /** transactions that are sent */
  readonly count: number;
  /** outputs of each: 700 make nearly the largest transaction */
  readonly outputs: number;
  readonly log?: (line: string) => void;
}

export interface FloodResult {
  /** that the mempool took */
  readonly taken: number;
  /** refusals by their text, without IDs and numbers */
  readonly refusals: ReadonlyMap<string, number>;
  /** in blocks once these were built */
  readonly accepted: number;
  /** of the process before, when the mempool was full, and at the end; undefined where the system does not tell */
  readonly residentMiB: readonly (number | undefined)[];
}

/** of one transaction that splits a coin */
const MOST_OUTPUTS = 700;
const DUST = 1n;

export async function flood({ chain, count, outputs, log = () => {} }: FloodOptions): Promise<FloodResult> {
  const dataDirectory = mkdtempSync(join(tmpdir(), "firn-flood-"));
  const node = new DevnetProcess({ dataDirectory, port: await freePort(), arguments: ["--block-time", "1h"] });
  try {
    await node.answers();
    const wallet = new PlainWallet(await networkOf(node.url), EWOQ_KEY);
    const coins = await split(node, wallet, chain, { count, worth: FEE + DUST * BigInt(outputs) });
    const residentMiB = [residentMemory(node.pid)];
    const refusals = new Map<string, number>();
    const taken: SignedIssue[] = [];
    for (const coin of coins) {
      const payments = Array.from({ length: outputs }, () => ({ to: wallet.address, amount: DUST }));
      const signed = wallet.transfer(chain, [coin], payments)!;
      const { result, error } = await call(node.url, signed);
      if (result !== undefined) taken.push(signed);
      else {
        const text = error!.message.replace(/[1-9A-HJ-NP-Za-km-z]{30,}/g, "<ID>").replace(/\d+/g, "<n>");
        refusals.set(text, (refusals.get(text) ?? 0) + 1);
      }
      if ((taken.length + 1) % 200 === 0) log(`${taken.length} taken, ${residentMemory(node.pid)} MiB`);
    }
    residentMiB.push(residentMemory(node.pid));
    await mine(node);
    residentMiB.push(residentMemory(node.pid));
    const accepted = (await Promise.all(taken.map((signed) => isAccepted(node.url, signed)))).filter(Boolean).length;
    return { taken: taken.length, refusals, accepted, residentMiB };
  } finally {
    await node.kill("SIGTERM");
    rmSync(dataDirectory, { recursive: true, force: true });
  }
}

/** So many coins of the worth, each of which can be spent without the others. */
async function split(
  node: DevnetProcess,
  wallet: PlainWallet,
  chain: "P" | "X",
  { count, worth }: { count: number; worth: bigint },
): Promise<Coin[]> {
  const made: Coin[] = [];
  while (made.length < count) {
    const [largest] = (await wallet.coins(node.url, chain)).toSorted((a, b) => (a.amount < b.amount ? 1 : -1));
    const payments = Array.from({ length: Math.min(MOST_OUTPUTS, count - made.length) }, () => ({ to: wallet.address, amount: worth }));
    const signed = wallet.transfer(chain, [largest!], payments)!;
    const { error } = await call(node.url, signed);
    if (error !== undefined) throw new Error(error.message);
    await mine(node);
    // the smaller amounts come before the change
    made.push(...coinsOf(parseId(signed.txId), payments));
  }
  return made;
}

async function mine({ url }: DevnetProcess): Promise<void> {
  const { error } = await call(url, { path: "/ext/firn", method: "firn.mine", params: {} });
  if (error !== undefined) throw new Error(error.message);
}

/** MiB, as Linux tells it; the store is mapped into memory, but can be dropped at any time, so it does not count. */
function residentMemory(pid: number): number | undefined {
  const file = `/proc/${pid}/status`;
  if (!existsSync(file)) return undefined;
  return Math.round(Number(/RssAnon:\s+(\d+)/.exec(readFileSync(file, "utf8"))?.[1]) / 1024);
}
