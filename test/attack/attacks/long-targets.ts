import type { Attack } from "../attack.ts";
import { headOf } from "../wire.ts";

export const longTargets: Attack = {
  name: "long-targets",
  does: "sends paths and queries of up to 900 kB: percent signs, many parameters, many commas, many dots",
  targets: ["serve", "devnet", "follow"],
  async run(attacker) {
    const sizes = [1000, 15_000, 60_000, 900_000];
    const paths = sizes.flatMap((size) => [
      `/v1/networks/fuji/validators?nodeIds=${"N,".repeat(size / 2)}`,
      `/v1/networks/fuji/validators?${"a=1&".repeat(size / 4)}`,
      `/v1/networks/fuji/validators?nodeIds=${"%2C".repeat(size / 3)}`,
      `/v1/chains/43112/addresses/${"%30".repeat(size / 3)}`,
      `/v1/chains/${"9".repeat(size)}/transactions`,
      `/v1/networks/fuji/validators?pageToken=${"A".repeat(size)}`,
      `/ext/${"../".repeat(size / 3)}`,
      `/ext/${"/".repeat(size)}`,
      `/ext/health?tag=${"%zz".repeat(size / 3)}`,
    ]);
    await attacker.again(8, (turn) => attacker.send(headOf("GET", paths[turn % paths.length]!, ["Connection: close"])));
  },
};
