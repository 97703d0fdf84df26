import { connect } from "node:net";
import { WebSocket } from "ws";
import type { Attack } from "../attack.ts";
import type { Attacker } from "../attacker.ts";
import { callOf } from "../questions.ts";

const AT_ONCE = 200;
const [LOWEST, HIGHEST] = [1024, 65_535];
/** a listener of this machine says something within it */
const PATIENCE_MS = 500;

/** A web page can connect to any port of 127.0.0.1. */
export const hiddenEvm: Attack = {
  name: "hidden-evm",
  does: "looks at every port of 127.0.0.1 for an EVM of this network that takes commands from the WebSocket of a foreign page",
  targets: ["devnet"],
  async run(attacker) {
    const genesis = hashOf((await attacker.post("/ext/bc/C/rpc", GENESIS)).body);
    await attacker.again(AT_ONCE, async (turn) => {
      const port = LOWEST + (turn % (HIGHEST - LOWEST + 1));
      if (port === attacker.port || !(await listens(port))) return;
      if (genesis !== undefined && hashOf(await askAsPage(attacker, port)) === genesis)
        throw new Error(`the EVM of the C-chain answers a foreign page at port ${port}`);
    });
  },
};

const GENESIS = callOf("eth_getBlockByNumber", ["0x0", false]);

function hashOf(answer: string): string | undefined {
  return /"hash":"(0x[0-9a-f]{64})"/.exec(answer)?.[1];
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: "127.0.0.1", port });
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    socket.once("connect", () => socket.destroy());
  });
}

/** The answer of whoever listens there; empty if it has none for a page. */
async function askAsPage(attacker: Attacker, port: number): Promise<string> {
  const client = new WebSocket(`ws://127.0.0.1:${port}/`, { headers: { origin: "https://example.org" } });
  const answer = new Promise<string>((resolve) => {
    client.on("error", () => resolve("")).on("close", () => resolve(""));
    client.once("open", () => client.send(GENESIS));
    client.once("message", (data) => resolve(data.toString()));
  });
  try {
    return await Promise.race([answer, attacker.wait(PATIENCE_MS).then(() => "")]);
  } finally {
    client.terminate();
  }
}
