/**
 * The official clients with `firn serve`, started from the command line with two workers. Every request uses a connection of its own, so
 * pages of one list come from either process.
 */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll } from "vitest";
import type { Serving } from "../../src/serve/serve.ts";
import { listeningUrl } from "../serve/listening-url.ts";
import { wire } from "./data-clients.ts";
import { METHOD_NAMES } from "./data-methods.ts";
import { holdMoments } from "./data-sdks.ts";

const firn = fileURLToPath(new URL("../../bin/firn", import.meta.url));
/** Long lists are walked in one process already. */
const LONG = ["listTransactions", "listAssetTransactions", "listUtxos", "getTransaction", "getBalances", "listValidators"];

beforeAll(() => {
  wire.closesConnections = true;
});
afterAll(() => {
  wire.closesConnections = false;
});

async function serveByTwo(directory: string): Promise<Serving> {
  const args = [firn, "serve", "--data-dir", directory, "--http-port", "0", "--workers", "2", "--log-level", "error"];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  return {
    url: await listeningUrl(child),
    async stop() {
      child.kill("SIGTERM");
      if (child.exitCode === null) await once(child, "exit");
    },
  };
}

holdMoments("latest-1", [
  {
    label: "of two workers",
    heights: { P: 90, X: 31, C: 10 },
    methods: ["listValidators", "listDelegators", "listStaking"],
    serve: serveByTwo,
  },
]);
holdMoments("x-dag", [
  { label: "of two workers", heights: {}, methods: METHOD_NAMES.filter((name) => !LONG.includes(name)), serve: serveByTwo },
]);
