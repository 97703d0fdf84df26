import { randomBytes } from "node:crypto";
import type { Attack } from "../attack.ts";
import { callOf } from "../questions.ts";

export const unknownNames: Attack = {
  name: "unknown-names",
  does: "asks for paths, methods, chains, hosts and HTTP methods that do not exist, each time other ones: whatever is counted by name grows",
  targets: ["serve", "devnet", "follow"],
  async run(attacker) {
    await attacker.again(16, (turn) => {
      const name = randomBytes(200).toString("hex");
      const requests = [
        () => attacker.ask({ path: `/${name}` }),
        () => attacker.ask({ path: `/ext/bc/${name}` }),
        () => attacker.ask({ path: `/v1/${name}` }),
        () => attacker.ask({ path: `/v1/networks/${name}/validators` }),
        () => attacker.post("/ext/bc/P", callOf(`platform.${name}`, {})),
        () => attacker.post("/ext/bc/C/rpc", callOf(name, [])),
        () => attacker.ask({ path: "/ext/health", headers: { Host: `${name}.example` } }),
        () => attacker.ask({ path: `/ext/health?tag=${name}` }),
        () => attacker.ask({ path: "/v1/chains", headers: { "x-glacier-api-key": name, Authorization: `Bearer ${name}` } }),
        () => attacker.ask({ path: "/ext/info", headers: { Origin: `http://${name}.example` } }),
      ];
      return requests[turn % requests.length]!();
    });
  },
};
