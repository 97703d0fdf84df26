/** Transactions that the node refused on the P-chain must be refused with its text in the same state. */

import { platformTypeNames } from "../../../src/api/rpc/platform/issue-tx.ts";
import { decodeHex } from "../../../src/base/bytes/hex.ts";
import { CodecError } from "../../../src/base/codec/error.ts";
import { codecErrorText } from "../../../src/base/codec/error-text.ts";
import { TextError } from "../../../src/base/errors/text-error.ts";
import type { PlatformChain } from "../../../src/chains/platform/chain.ts";
import { parseTx, type SignedTx } from "../../../src/chains/platform/tx/registry.ts";
import { RuleError } from "../../../src/network/execution.ts";
import { hasFile } from "../asset/recording.ts";
import { type CheckResult, check, difference } from "../check.ts";
import { readLines } from "../json-lines.ts";
import { type NodeReplay, replayNode } from "../node-replay.ts";

interface RefusedTx {
  readonly accepted: boolean;
  readonly chain: string;
  readonly heights: { readonly P: number; readonly X: number; readonly C: number };
  readonly hex: string;
  readonly label: string;
  readonly response: { readonly error?: { readonly message: string } };
}

/** Some texts depend on the second of the issue, which was not recorded: one of those until the next block must give it. */
const SECONDS = 120n;

export async function* checkRefusedPlatformTxs(folder: string): AsyncGenerator<CheckResult> {
  if (!hasFile(folder, "rejected.jsonl")) return;
  const lines = [...readLines<RefusedTx>(folder, "rejected.jsonl")].filter(({ chain }) => chain === "P");
  if (lines.length === 0) return;
  const byHeights = new Map<string, RefusedTx[]>();
  for (const tx of lines) {
    const { P, X, C } = tx.heights;
    const heights = `${P},${X},${C}`;
    byHeights.set(heights, [...(byHeights.get(heights) ?? []), tx]);
  }
  for await (const replay of replayNode(folder)) {
    for (const tx of byHeights.get(replay.heights) ?? []) {
      const text = tx.accepted ? "accepted" : withoutProcessClock(tx.response.error!.message);
      yield check(`refused P transaction: ${tx.label}`, difference(refusal(tx, text, replay), text));
    }
    byHeights.delete(replay.heights);
  }
  for (const [heights, txs] of byHeights) yield check(`${txs.length} refused transactions`, `no state has heights ${heights}`);
}

/** The text that was expected if some second gives it, else the text of the first second. */
function refusal({ hex }: RefusedTx, expected: string, { chains, fetch }: NodeReplay): string {
  const tx = readTx(hex);
  if (typeof tx === "string") return tx;
  const { platform } = chains;
  fetch(platform.txKeysRead(tx));
  const texts: string[] = [];
  for (let seconds = 0n; seconds < SECONDS && texts.at(-1) !== expected; seconds++) {
    texts.push(issue(tx, platform, platform.state.timestamp + seconds));
  }
  return texts.includes(expected) ? expected : texts[0]!;
}

function readTx(hex: string): SignedTx | string {
  try {
    return parseTx(decodeHex(hex, { checksum: true }));
  } catch (error) {
    if (error instanceof CodecError) return `couldn't parse tx: couldn't parse tx: ${codecErrorText(error, platformTypeNames)}`;
    if (error instanceof TextError) return `problem decoding transaction: ${error.message}`;
    throw error;
  }
}

function issue(tx: SignedTx, platform: PlatformChain, clock: bigint): string {
  try {
    platform.verifyTx(tx, { network: platform.state.network, level: "full", clock });
    return "accepted";
  } catch (error) {
    if (error instanceof RuleError) return `couldn't issue tx: ${error.message}`;
    throw error;
  }
}

/** Before Durango a text about time holds the process's clock: fractions of seconds and a monotonic reading. */
function withoutProcessClock(text: string): string {
  return text.replace(/\.\d+( \+0000 UTC) m=\S+/, "$1");
}
