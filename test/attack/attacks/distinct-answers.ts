import { encodeBech32 } from "../../../src/base/bytes/address.ts";
import type { Attack } from "../attack.ts";
import { callOf, HRPS } from "../questions.ts";

export const distinctAnswers: Attack = {
  name: "distinct-answers",
  does: "asks for answers that are kept, each time another one: validators at every height, pages of every size and order, every combination of filters",
  targets: ["serve", "devnet", "follow"],
  async run(attacker) {
    const hrp = HRPS[attacker.target];
    const isFollow = attacker.target === "follow";
    await attacker.again(8, (turn) => {
      const bytes = Buffer.alloc(20);
      bytes.writeUInt32BE(turn);
      const address = encodeBech32(hrp, bytes.toString("hex"));
      const requests = [
        () => attacker.post("/ext/bc/P", callOf("platform.getValidatorsAt", { height: turn % 420 })),
        () => attacker.post("/ext/bc/P", callOf("platform.getCurrentValidators", { subnetID: null, nodeIDs: [], n: turn })),
        () => attacker.post("/ext/bc/P", callOf("platform.getAllValidatorsAt", { height: turn % 420 })),
        () => attacker.ask({ path: `/v1/networks/fuji/validators?pageSize=${1 + (turn % 100)}&minDelegationCapacity=${turn}` }),
        () =>
          attacker.ask({ path: `/v1/networks/fuji/blockchains/x-chain/transactions?pageSize=${1 + (turn % 100)}&startTimestamp=${turn}` }),
        () => attacker.ask({ path: `/v1/networks/fuji/blockchains/p-chain/balances?addresses=P-${address}` }),
        () => attacker.ask({ path: `/v1/networks/fuji/delegators?pageSize=100&n=${turn}` }),
      ];
      const evmRequests = [
        () => attacker.ask({ path: `/v1/chains/43112/transactions?pageSize=${1 + (turn % 100)}&n=${turn}` }),
        () => attacker.ask({ path: `/v1/chains/43112/addresses/0x${bytes.toString("hex")}/balances:listErc20?pageSize=100` }),
        () => attacker.ask({ path: `/v1/chains/43112/addresses/0x${bytes.toString("hex")}/balances:getNative?blockNumber=${turn % 50}` }),
      ];
      const list = isFollow ? evmRequests : requests;
      return list[turn % list.length]!();
    });
  },
};
