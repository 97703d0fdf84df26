/** `npm run faults:webhooks -- [--count 200] [--seed 1]` */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { killWebhooks } from "./kill-webhooks.ts";

const { values } = parseArgs({ options: { count: { type: "string", default: "200" }, seed: { type: "string", default: "1" } } });
const dataDirectory = mkdtempSync(join(tmpdir(), "firn-webhook-kills-"));
try {
  const { payments, received, receiverKills } = await killWebhooks({
    ...{ dataDirectory, kills: Number(values.count), seed: Number(values.seed), log: console.log },
  });
  console.log(
    `${values.count} kills of the devnet and ${receiverKills} of the receiver: ${payments} payments told of in order, in ${received} messages`,
  );
} finally {
  rmSync(dataDirectory, { recursive: true, force: true });
}
