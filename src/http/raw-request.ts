/**
 * Reads a request whose method name node:http does not know from its first packet. The node serves any method name; no endpoint reads the
 * body of such a request.
 */
import { UNLIMITED_WORK } from "../base/work/work.ts";
import type { HttpRequest } from "./exchange.ts";

const requestLine = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+) (\S+) HTTP\/1\.([01])$/;

/** Returns undefined if the packet is not an HTTP request. */
export function parseRawRequest(packet: Buffer, remoteAddress = ""): HttpRequest | undefined {
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
  return {
    method: parts[1]!,
    target: parts[2]!,
    headers,
    hosts,
    isHttp10: parts[3] === "0",
    remoteAddress,
    work: UNLIMITED_WORK,
    readBody: async () => "",
  };
}
