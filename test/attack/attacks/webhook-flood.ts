import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Attack } from "../attack.ts";

const ADDRESSES = Array.from({ length: 1_000 }, (_, i) => `0x${(i + 1).toString(16).padStart(40, "0")}`);
const KEPT = 20;

/** Answers nothing, or without end. */
async function hostileReceiver() {
  const server = createServer((request, response) => {
    if (request.url === "/silent") return;
    response.writeHead(200);
    const more = () => {
      while (!response.destroyed && response.write("x".repeat(65_536)));
    };
    response.on("drain", more);
    more();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, end: () => server.close().closeAllConnections() };
}

export const webhookFlood: Attack = {
  name: "webhook-flood",
  does: "makes webhooks of thousands of addresses whose receivers are silent, endless, the server itself or nowhere, has them tested, and switches them off",
  targets: ["devnet"],
  async run(attacker) {
    const receiver = await hostileReceiver();
    const urls = [
      `${receiver.url}/silent`,
      `${receiver.url}/endless`,
      `http://127.0.0.1:${attacker.port}/v1/webhooks`,
      "http://10.255.255.1/",
    ];
    const ids: string[] = [];
    await attacker.again(4, async (turn) => {
      const body = { eventType: "address_activity", url: urls[turn % urls.length], chainId: "43112", metadata: { addresses: ADDRESSES } };
      const { status, body: answer } = await attacker.post("/v1/webhooks", JSON.stringify(body));
      const id = /"id":"([^"]+)"/.exec(answer)?.[1];
      if (status !== 201 || id === undefined) return;
      ids.push(id);
      // nobody waits for the answer, which may take ten seconds
      void attacker.post(`/v1/webhooks/${id}:test`, "{}");
      const old = ids.length > KEPT ? ids.shift() : undefined;
      if (old !== undefined) await attacker.ask({ method: "DELETE", path: `/v1/webhooks/${old}` });
    });
    receiver.end();
  },
};
