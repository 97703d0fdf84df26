/**
 * A devnet without an EVM that makes payments until it is killed, and tells a webhook of them: `paying-devnet.ts <directory> <url of the receiver>
 * <payments> <round>`. Its webhooks' clock runs a thousand times as fast, so that attempts that wait for a minute are made within a test. Prints `paying`
 * once the webhook is there, and `delivered` once nothing waits and all payments were told of.
 */
import pino from "pino";
import { defaultDataSettings } from "../../../src/api/data/context.ts";
import { PLATFORM_CHAIN_ID } from "../../../src/base/bytes/id.ts";
import { Devnet } from "../../../src/devnet/devnet.ts";
import { devnetNetwork } from "../../../src/devnet/devnet-network.ts";
import { P_CHAIN } from "../../../src/index/primary/primary-chain.ts";
import { blocks } from "../../../src/index/tables.ts";
import { PRIMARY_KIND } from "../../../src/webhooks/registry.ts";
import { startWebhooks } from "../../../src/webhooks/webhook-service.ts";
import { webhookCursors } from "../../../src/webhooks/webhook-tables.ts";
import { delay, eventually, stopwatch } from "../../patience.ts";
import { PAYEE, PAYEE_TEXT } from "./payee.ts";

const [, , dataDirectory, url, payments, round] = process.argv as [string, string, string, string, string, string];
const OWNER = "00000000";
const FASTER = 1_000;
const ROUND_MS = 1_000_000_000;

const elapsed = stopwatch();
/** later than in any process before */
const now = () => Math.round(Number(round) * ROUND_MS + elapsed() * FASTER);

const log = pino({ level: "silent" });
const { network, networkFile } = devnetNetwork({ now: 1_795_219_200n });
const devnet = await Devnet.open({ dataDirectory, network, networkFile, log, evm: false });
const { desk, registry } = await startWebhooks({
  ...{ store: devnet.store, network: devnet.network, evmChains: { of: async () => [] }, log, now },
  settings: { ...defaultDataSettings, webhookTargets: "all" },
  answerMs: 300,
});
const ticking = async () => {
  for (;;) {
    await delay(2);
    registry.changed.notify();
  }
};
void ticking();
if (registry.size === 0) {
  await desk.create(
    OWNER,
    {
      ...{
        eventType: "primary_network_address_activity",
        url,
        name: "",
        description: "",
        eventSignatures: [],
        subEvents: ["balance_change"],
      },
      ...{ scope: { kind: "primary", chain: `${P_CHAIN}` }, chainId: "p-chain" },
    },
    [PAYEE],
  );
}
process.stdout.write("paying\n");
for (let i = 0; i < Number(payments); i++) await devnet.fund(PAYEE_TEXT, 1_000n + BigInt(i));
const [webhook] = [...registry.all];
await eventually(async () => {
  const { queue, row } = registry.get(webhook!.number)!;
  // it may have been off for a while: so long does nobody wait between two attempts here
  if (!row.isActive) throw new Error(row.problem);
  const cursor = await devnet.store.get(webhookCursors, { kind: PRIMARY_KIND, chain: BigInt(P_CHAIN) });
  const [last] = await devnet.store.scan(blocks, { prefix: { chainId: PLATFORM_CHAIN_ID }, reverse: true, limit: 1 });
  return queue.first === queue.next && cursor?.height === (last?.key.height ?? 0n);
});
process.stdout.write("delivered\n");
