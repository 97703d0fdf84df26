/** A hostile name server: it returns different addresses each time, many of them, or none. */
import { createSocket } from "node:dgram";
import { once } from "node:events";

const TYPES: Readonly<Record<number, "A" | "AAAA">> = { 1: "A", 28: "AAAA" };
const HEADER_BYTES = 12;

export interface NameServer {
  /** `address:port` */
  readonly at: string;
  /** questions so far, such as `A good.example` */
  readonly asked: readonly string[];
  close(): void;
}

/** @param answer addresses of a name; undefined: no answer */
export async function startNameServer(answer: (name: string, type: "A" | "AAAA") => readonly string[] | undefined): Promise<NameServer> {
  const asked: string[] = [];
  const socket = createSocket("udp4");
  socket.on("message", (question, { port, address }) => {
    const { name, end } = nameOf(question);
    const type = TYPES[question.readUInt16BE(end)]!;
    asked.push(`${type} ${name}`);
    const addresses = answer(name, type);
    if (addresses === undefined) return;
    const head = Buffer.from(question.subarray(0, HEADER_BYTES));
    head.writeUInt16BE(0x8180, 2);
    head.writeUInt16BE(addresses.length, 6);
    head.fill(0, 8);
    socket.send(
      Buffer.concat([head, question.subarray(HEADER_BYTES, end + 4), ...addresses.map((one) => recordOf(one, type))]),
      port,
      address,
    );
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  return { at: `127.0.0.1:${socket.address().port}`, asked, close: () => socket.close() };
}

function nameOf(question: Buffer): { name: string; end: number } {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (let length = question[at]!; length > 0; length = question[at]!) {
    labels.push(question.toString("latin1", at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join("."), end: at + 1 };
}

/** Of the name that was asked for, to be forgotten at once. */
function recordOf(address: string, type: "A" | "AAAA"): Buffer {
  const bytes = type === "A" ? Buffer.from(address.split(".").map(Number)) : ipv6Bytes(address);
  const head = Buffer.from([0xc0, HEADER_BYTES, 0, type === "A" ? 1 : 28, 0, 1, 0, 0, 0, 0, 0, bytes.length]);
  return Buffer.concat([head, bytes]);
}

function ipv6Bytes(address: string): Buffer {
  const [before = "", after = ""] = address.split("::");
  const groups = (text: string) => text.split(":").filter((group) => group !== "");
  const missing = 8 - groups(before).length - groups(after).length;
  const all = [...groups(before), ...Array.from({ length: missing }, () => "0"), ...groups(after)];
  return Buffer.concat(all.map((group) => Buffer.from(group.padStart(4, "0"), "hex")));
}
