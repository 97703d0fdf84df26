import type { Attack } from "../attack.ts";

const BYTES = 900_000;

export const jsonShapes: Attack = {
  name: "json-shapes",
  does: "posts JSON that is deep, numbers of 0.9 million digits, only escapes, lone surrogates, spaces, and texts that never end",
  targets: ["serve", "devnet"],
  async run(attacker) {
    const params = (value: string) => `{"jsonrpc":"2.0","id":1,"method":"platform.getBlockByHeight","params":{"height":${value}}}`;
    const values = [
      "[".repeat(BYTES),
      `${"[".repeat(BYTES / 2)}${"]".repeat(BYTES / 2)}`,
      `${'{"a":'.repeat(BYTES / 10)}1${"}".repeat(BYTES / 10)}`,
      "9".repeat(BYTES),
      `-0.${"0".repeat(BYTES)}1`,
      `1e${"9".repeat(BYTES)}`,
      "1e400",
      `"${"\\u0041".repeat(BYTES / 6)}"`,
      `"${"\\ud800".repeat(BYTES / 6)}"`,
      `"${"\\\\".repeat(BYTES / 2)}"`,
      `"${"x".repeat(BYTES)}`,
      " ".repeat(BYTES),
      `[${"1,".repeat(BYTES / 2)}1]`,
      `"${"9".repeat(BYTES)}"`,
    ];
    const paths = ["/ext/bc/P", "/ext/bc/X", "/ext/bc/C/rpc", "/ext/info", "/ext/bc/C/avax"];
    await attacker.again(4, (turn) => attacker.post(paths[turn % paths.length]!, params(values[turn % values.length]!)));
  },
};
