/**
 * A request whose method name node:http does not know, read from its first packet. The node serves any name: no endpoint reads the body
 * of such a request.
 */
import type { HttpRequest } from "./exchange.ts";

const requestLine = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+) (\S+) HTTP\/1\.([01])$/;

/** undefined if it is no HTTP request. */
export function parseRawRequest(packet: Buffer): HttpRequest | undefined {
  const head = packet.toString("latin1");
  const end = head.indexOf("\r\n\r\n");
  if (end === -1) return undefined;
  const [first, ...lines] = head.slice(0, end).split("\r\n");
  const parts = requestLine.exec(first!);
  if (parts === null) return undefined;
  const headers: Record<string, string> = {};
  let hosts = 0;
  for (const line of lines) {
    const colon = line.indexOf(":");
    if (colon <= 0) return undefined;
    const name = line.slice(0, colon).toLowerCase();
    if (name === "host") hosts++;
    headers[name] ??= line.slice(colon + 1).trim();
  }
  return { method: parts[1]!, target: parts[2]!, headers, hosts, isHttp10: parts[3] === "0", readBody: async () => "" };
}
