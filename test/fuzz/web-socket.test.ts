import { expect, test } from "vitest";
import { startDevnet } from "../../src/serve/local-network/start.ts";
import { fuzzWebSockets } from "./web-socket-fuzz.ts";

/** For longer runs use `npm run fuzz:ws -- <count> --seed <seed>`. */
test("hostile WebSocket frames end their own connections, and good calls between them are answered rightly", async () => {
  await using network = await startDevnet();
  const options = { url: network.urls.cWebSocket, chainId: `0x${network.evmChainId.toString(16)}`, count: 500, seed: 20_261_122 };
  const { problems, frames, goodAnswers } = await fuzzWebSockets(options);
  expect(problems).toEqual([]);
  expect([frames, goodAnswers]).toEqual([500, 6]);
});
