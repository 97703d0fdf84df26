/** A WebSocket of a node behind a faulty proxy: each message of the node meets the faults of the moment. */
import { WebSocket } from "ws";
import { delay } from "../../patience.ts";
import type { FaultKind } from "./proxy-faults.ts";

const DELAY_MS = 100;

/** @param node `ws://…`, with the path @param next draws what a message meets */
export function passSocket(client: WebSocket, node: string, next: () => FaultKind | undefined): void {
  const upstream = new WebSocket(node);
  const waiting: string[] = [];
  client.on("message", (data) => {
    if (upstream.readyState === WebSocket.OPEN) upstream.send(String(data));
    else waiting.push(String(data));
  });
  upstream.on("open", () => {
    for (const text of waiting) upstream.send(text);
  });
  upstream.on("message", (data) => passMessage(client, String(data), next()));
  upstream.on("error", () => client.terminate());
  upstream.on("close", () => client.terminate());
  client.on("close", () => upstream.terminate());
}

function passMessage(client: WebSocket, text: string, kind: FaultKind | undefined): void {
  if (kind === "hang") return;
  if (kind === "drop" || kind === "rate-limit" || kind === "server-error") client.terminate();
  else if (kind === "delay") void delay(DELAY_MS).then(() => client.send(text));
  else client.send(changed(text, kind));
}

function changed(text: string, kind: FaultKind | undefined): string {
  if (kind === "truncate") return text.slice(0, text.length >> 1);
  if (kind === "wrong-id") return text.replace(/"id":\d+/, '"id":987654321');
  return kind === "corrupt" || kind === "page" ? "<html>" : text;
}
