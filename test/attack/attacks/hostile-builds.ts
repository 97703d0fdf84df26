import { MULTICALL3 } from "../../../src/network/multicall3.ts";
import type { Attack } from "../attack.ts";

const BYTES = 1_900_000;

/** Build files as long as one may be, none of which has the contract's code. */
const BUILDS: readonly string[] = [
  "[".repeat(BYTES),
  `{"abi":[],"deployedBytecode":"0x${"60".repeat(BYTES / 2)}"}`,
  `{"abi":${"[".repeat(BYTES / 4)}${"]".repeat(BYTES / 4)},"deployedBytecode":"0x6001"}`,
  JSON.stringify({
    input: { sources: Object.fromEntries(Array.from({ length: 8000 }, (_, i) => [`s${i}`, { content: "x".repeat(100) }])) },
    output: {
      contracts: {
        a: Object.fromEntries(
          Array.from({ length: 1500 }, (_, i) => [
            `c${i}`,
            { abi: [], metadata: "{}", evm: { deployedBytecode: { object: "60".repeat(300) } } },
          ]),
        ),
      },
    },
  }),
  JSON.stringify({
    abi: [],
    deployedBytecode: { object: "60".repeat(40_000), immutableReferences: { 1: new Array(4000).fill({ start: 0, length: 40_000 }) } },
  }),
];

export const hostileBuilds: Attack = {
  name: "hostile-builds",
  does: "sends build files of up to 2 MB for a contract: nested, with much code, with thousands of contracts, sources and references",
  targets: ["serve", "devnet"],
  async run(attacker) {
    const bodies = BUILDS.map((build) => JSON.stringify({ build }));
    const path = `/v1/chains/43112/addresses/0x${MULTICALL3.address}/source`;
    await attacker.again(3, (turn) => attacker.post(path, bodies[turn % bodies.length]!));
  },
};
