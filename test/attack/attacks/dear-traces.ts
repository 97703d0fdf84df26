import type { Attack } from "../attack.ts";

const CHAIN = "/v1/chains/43112";

export const dearTraces: Attack = {
  name: "dear-traces",
  does: "asks again and again for the calls of transactions, of which each block's first one has a trace of 320 MB",
  targets: ["follow"],
  upstream: "dearTraces",
  mustStayOnCourse: true,
  async run(attacker) {
    const { body } = await attacker.ask({ path: `${CHAIN}/transactions?pageSize=100` });
    const hashes = [...body.matchAll(/"txHash":"(0x[0-9a-f]{64})"/g)].map(([, hash]) => hash!);
    if (hashes.length === 0) throw new Error(`there is no transaction to ask for: ${body.slice(0, 200)}`);
    await attacker.again(8, (turn) => attacker.ask({ path: `${CHAIN}/transactions/${hashes[turn % hashes.length]}/calls` }));
  },
};
