import { describe, expect, test } from "vitest";
import { RuleError } from "../../../src/network/execution.ts";
import type { PlatformChain } from "../../../src/platform/chain.ts";
import { parseTx, type SignedTx } from "../../../src/platform/tx/signed-tx.ts";
import { CodecError } from "../../../src/primitives/codec/error.ts";
import { codecErrorText } from "../../../src/primitives/codec/error-text.ts";
import { decodeHex } from "../../../src/primitives/hex.ts";
import { TextError } from "../../../src/primitives/text-error.ts";
import { platformTypeNames } from "../../../src/rpc/platform/type-names.ts";
import { readLines } from "../../conformance/asset/recording.ts";
import { type NodeReplay, replayNode } from "../../conformance/node-replay.ts";
import { recordingFolder } from "../../conformance/recordings.ts";

interface RefusedTx {
  accepted: boolean;
  chain: string;
  heights: { P: number; X: number; C: number };
  hex: string;
  label: string;
  response: { error?: { message: string } };
}

/** Some texts depend on the second of the issue, which was not recorded: one of those until the next block must give it. */
const SECONDS = 120n;

describe("refused transactions of the P-chain", () => {
  test.each([
    ["latest-1", 110],
    ["eras-1", 199],
  ] as const)("every transaction that the node of %s refused is refused with its text", async (name, count) => {
    const folder = recordingFolder(name);
    const lines = readLines(folder, "rejected.jsonl").map((line) => JSON.parse(line) as RefusedTx);
    const refused = lines.filter(({ chain }) => chain === "P");
    const left = new Set(refused.map(heightsOf));
    const [actual, expected]: [string[], string[]] = [[], []];
    for await (const replay of replayNode(folder)) {
      if (!left.delete(replay.heights)) continue;
      for (const tx of refused.filter((tx) => heightsOf(tx) === replay.heights)) {
        const text = tx.accepted ? "accepted" : withoutProcessClock(tx.response.error!.message);
        expected.push(`${tx.label}: ${text}`);
        actual.push(`${tx.label}: ${refusal(tx, text, replay)}`);
      }
    }
    expect(expected).toHaveLength(count);
    expect(actual).toEqual(expected);
  });
});

function heightsOf({ heights: { P, X, C } }: RefusedTx): string {
  return `${P},${X},${C}`;
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
