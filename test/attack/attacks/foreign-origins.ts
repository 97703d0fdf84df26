import type { Attack } from "../attack.ts";
import { type Attacker, JSON_TYPE } from "../attacker.ts";
import { callOf, EVM_HOLDER } from "../questions.ts";

const PAGE = "https://page.example";
const TEXT = { "Content-Type": "text/plain" };

/** What a web page can do without asking, and what only after a preflight that says so. */
export const foreignOrigins: Attack = {
  name: "foreign-origins",
  does: "moves a devnet's clock, funds and snapshots as web pages of other origins and rebound names would, over HTTP and WebSocket",
  targets: ["devnet"],
  async run(attacker) {
    const before = await stateOf(attacker);
    await attacker.again(1, async () => {
      for (const headers of [
        { Origin: PAGE, ...TEXT },
        { Origin: PAGE, ...JSON_TYPE },
        { Origin: "null", ...TEXT },
        { ...JSON_TYPE, Host: "rebound.example" },
        { Origin: `http://localhost.${new URL(PAGE).host}`, ...JSON_TYPE },
      ]) {
        await attacker.post("/ext/firn", callOf("firn.advanceTime", { seconds: 3600 }), headers);
        await attacker.post("/ext/firn", callOf("firn.mine", { blocks: 1, chain: "C" }), headers);
        await attacker.post("/ext/firn", callOf("firn.fund", { address: EVM_HOLDER, amount: "1" }), headers);
        await attacker.post("/ext/firn", callOf("firn.snapshot", {}), headers);
        await attacker.post("/ext/bc/C/rpc", sending, headers);
      }
      for (const headers of [{ Origin: PAGE }, { Origin: "null" }, { Host: "rebound.example" }]) {
        const client = await attacker.webSocket(headers);
        if (client !== undefined) throw new Error(`a WebSocket was opened for ${JSON.stringify(headers)}`);
      }
      const preflight = await attacker.ask({
        method: "OPTIONS",
        path: "/ext/firn",
        headers: { Origin: PAGE, "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "content-type" },
      });
      if (preflight.headers["access-control-allow-origin"] !== undefined)
        throw new Error("a foreign page's preflight to /ext/firn was granted");
      await attacker.wait(200);
    });
    const after = await stateOf(attacker);
    if (after !== before) throw new Error(`the state changed from ${before} to ${after}`);
  },
};

const sending = callOf("eth_sendTransaction", [{ from: EVM_HOLDER, to: "0x0000000000000000000000000000000000000001", value: "0x1" }]);

/** Heights, snapshots, and how far the clock is from this machine's, in whole minutes. */
async function stateOf(attacker: Attacker): Promise<string> {
  const now = Date.now();
  const { heights, unixTime } = JSON.parse(await plain(attacker, callOf("firn.getStatus", {}))).result;
  const snapshots = JSON.parse(await plain(attacker, callOf("firn.listSnapshots", {}))).result;
  return JSON.stringify({ heights, minutesAhead: Math.round((unixTime - now / 1000) / 60), snapshots });
}

async function plain(attacker: Attacker, body: string): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${attacker.port}/ext/firn`, {
    method: "POST",
    body,
    headers: { ...JSON_TYPE, Connection: "close" },
  });
  return response.text();
}
