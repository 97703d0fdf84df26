import type { Attack } from "../attack.ts";
import { callOf } from "../questions.ts";

const LARGEST_HOLDER = "custom1jyhtswjg9f2wuf0f8cdml9k6mdxstv8g6n7m22";

export const dearRpc: Attack = {
  name: "dear-rpc",
  does: "asks for what costs most: all validators, samples of a billion, UTXOs of the largest holder, large numbers, all blocks",
  targets: ["serve", "devnet"],
  async run(attacker) {
    const calls: readonly (readonly [string, string])[] = [
      ["/ext/bc/P", callOf("platform.getCurrentValidators", {})],
      ["/ext/bc/P", callOf("platform.sampleValidators", { size: 1_000_000_000 })],
      ["/ext/bc/P", callOf("platform.sampleValidators", { size: "65535" })],
      ["/ext/bc/P", callOf("platform.getBalance", { addresses: [`P-${LARGEST_HOLDER}`] })],
      ["/ext/bc/P", callOf("platform.getBalance", { addresses: Array.from({ length: 1000 }, () => `P-${LARGEST_HOLDER}`) })],
      ["/ext/bc/X", callOf("avm.getBalance", { address: `X-${LARGEST_HOLDER}`, assetID: "AVAX" })],
      ["/ext/bc/X", callOf("avm.getAllBalances", { address: `X-${LARGEST_HOLDER}` })],
      ["/ext/bc/X", callOf("avm.getUTXOs", { addresses: [`X-${LARGEST_HOLDER}`], limit: 1024 })],
      ["/ext/bc/P", callOf("platform.getValidatorsAt", { height: 1 })],
      ["/ext/bc/P", callOf("platform.getAllValidatorsAt", { height: 400 })],
      ["/ext/bc/P", callOf("platform.getStake", { addresses: [`P-${LARGEST_HOLDER}`], encoding: "json" })],
      ["/ext/index/X/tx", callOf("index.getContainerRange", { startIndex: 0, numToFetch: 1024, encoding: "hex" })],
      ["/ext/index/P/block", callOf("index.getContainerRange", { startIndex: 0, numToFetch: 1024, encoding: "json" })],
      ["/ext/info", callOf("info.peers", {})],
      ["/ext/health", callOf("health.health", { tags: Array.from({ length: 10_000 }, (_, index) => `tag${index}`) })],
    ];
    await attacker.again(16, (turn) => attacker.post(...calls[turn % calls.length]!));
  },
};
