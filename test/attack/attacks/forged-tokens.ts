import { randomBytes } from "node:crypto";
import type { Attack } from "../attack.ts";

export const forgedTokens: Attack = {
  name: "forged-tokens",
  does: "asks for pages with page tokens that were changed, cut, made up, or given for another list",
  targets: ["serve", "devnet", "follow"],
  async run(attacker) {
    const list = attacker.target === "follow" ? "/v1/chains/43112/transactions" : "/v1/networks/fuji/blockchains/x-chain/utxos";
    const other = attacker.target === "follow" ? "/v1/chains/43112/blocks" : "/v1/networks/fuji/validators";
    const first = await attacker.ask({ path: `${list}?pageSize=1` });
    const token = /"nextPageToken":"([^"]+)"/.exec(first.body)?.[1] ?? "AAAA";
    await attacker.again(8, (turn) => {
      const bytes = Buffer.from(token, "base64url");
      bytes[turn % bytes.length]! ^= 1 << (turn % 8);
      const forged = [
        bytes.toString("base64url"),
        token.slice(0, turn % token.length),
        randomBytes(turn % 2000).toString("base64url"),
        "%00",
        token,
      ];
      const path = turn % 5 === 4 ? other : list;
      return attacker.ask({ path: `${path}?pageSize=1&pageToken=${forged[turn % forged.length]}` });
    });
  },
};
