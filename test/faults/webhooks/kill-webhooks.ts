/**
 * Kills a devnet that makes payments, and the receiver of its webhook, again and again. The receiver also fails, hangs, redirects and breaks off.
 * In the end it must have been told of each payment, in order; twice only under the same ID.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import { freePort } from "../../../bench/free-port.ts";
import { formatId } from "../../../src/base/bytes/cb58.ts";
import { PLATFORM_CHAIN_ID } from "../../../src/base/bytes/id.ts";
import { blockTxs, parseBlock } from "../../../src/chains/platform/block.ts";
import { outputsOf } from "../../../src/chains/platform/tx/registry.ts";
import { blocks } from "../../../src/index/tables.ts";
import { openStore } from "../../../src/store/open.ts";
import { scanAll } from "../../../src/store/store.ts";
import { delay } from "../../patience.ts";
import { randomOf } from "../../random.ts";
import { type Answer, type Received, type Receiver, startReceiver } from "../../webhooks/receiver.ts";
import { PAYEE } from "./payee.ts";

const script = fileURLToPath(new URL("paying-devnet.ts", import.meta.url));

interface KillOptions {
  readonly dataDirectory: string;
  readonly kills: number;
  readonly seed: number;
  readonly log?: (line: string) => void;
}

interface KillTotals {
  readonly payments: number;
  readonly received: number;
  readonly receiverKills: number;
}

export async function killWebhooks({ dataDirectory, kills, seed, log = () => {} }: KillOptions): Promise<KillTotals> {
  const random = randomOf(seed);
  const port = await freePort();
  const received: Received[] = [];
  const answer: Answer = (response) => {
    const draw = random();
    if (draw < 0.7) response.writeHead(200).end();
    else if (draw < 0.8) response.writeHead(500).end();
    else if (draw < 0.85) response.writeHead(302, { location: "http://127.0.0.1:1/" }).end();
    else if (draw < 0.95) response.socket!.destroy();
  };
  let receiverKills = 0;
  const listen = async (): Promise<Receiver> => {
    const receiver = await startReceiver(port);
    receiver.answer = answer;
    return receiver;
  };
  let receiver = await listen();
  const url = receiver.url;
  for (let i = 0; i < kills; i++) {
    const child = await payingDevnet(dataDirectory, url, 1_000_000, i);
    await delay(random() * 400);
    if (random() < 0.5) {
      receiverKills++;
      received.push(...receiver.received);
      await receiver.stop();
      await delay(random() * 100);
      receiver = await listen();
      await delay(random() * 200);
    }
    child.kill("SIGKILL");
    await once(child, "exit");
    log(`${i + 1} of ${kills} kills, ${received.length + receiver.received.length} messages`);
  }
  receiver.answer = 200;
  await ended(await payingDevnet(dataDirectory, url, 1, kills));
  received.push(...receiver.received);
  await receiver.stop();
  const payments = await paymentsOf(dataDirectory);
  compare(received, payments);
  return { payments: payments.length, received: received.length, receiverKills };
}

function compare(received: readonly Received[], payments: readonly string[]): void {
  const ids = new Map<string, string>();
  const order: string[] = [];
  for (const { message } of received) {
    const { txHash } = message.event.transaction;
    if (!ids.has(txHash)) order.push(txHash);
    // one event has one ID
    expect(ids.get(txHash) ?? message.messageId).toBe(message.messageId);
    ids.set(txHash, message.messageId);
  }
  expect(order).toEqual(payments);
}

/** Resolves once the webhook is there. */
async function payingDevnet(dataDirectory: string, url: string, payments: number, round: number): Promise<ChildProcess> {
  const args = ["--import", "tsx", script, dataDirectory, url, `${payments}`, `${round}`];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  await said(child, "paying");
  return child;
}

async function ended(child: ChildProcess): Promise<void> {
  await said(child, "delivered");
  child.kill("SIGKILL");
  await once(child, "exit");
}

function said(child: ChildProcess, word: string): Promise<void> {
  return new Promise((resolve, reject) => {
    child.stdout!.on("data", (text: Buffer) => text.toString().includes(word) && resolve());
    child.once("exit", (code) => reject(new Error(`the devnet ended with ${code} before it said ${word}`)));
  });
}

/** IDs of the accepted transactions that pay, by the blocks alone. */
async function paymentsOf(dataDirectory: string): Promise<string[]> {
  const store = await openStore({ directory: dataDirectory, mode: "read" });
  const found: string[] = [];
  for await (const { value } of scanAll(store, blocks, { chainId: PLATFORM_CHAIN_ID })) {
    for (const tx of blockTxs(parseBlock(value.bytes))) {
      if (JSON.stringify(outputsOf(tx.unsigned), (_, one) => (typeof one === "bigint" ? `${one}` : one)).includes(PAYEE))
        found.push(formatId(tx.id));
    }
  }
  await store.close();
  return found;
}
