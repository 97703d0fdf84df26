/**
 * Stands between the nodes and those who dial them, and cuts one process off from all of them. Nodes tell each other the addresses of it, as
 * `--public-ip`, so nobody gets around it. Whose connection it is, Linux says in `/proc`.
 */
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { connect, createServer, type Server, type Socket } from "node:net";
import { finished } from "node:stream/promises";

/** Its connections are closed, as by a firewall that refuses, or kept and nothing comes through them, as by one that drops. */
export type CutKind = "refused" | "dropped";

export class Partition {
  /** where others find the nodes: the loopback of Linux has more addresses than one */
  static readonly address = "127.0.0.2";
  readonly #servers: Server[] = [];
  /** both ends of each connection that is forwarded */
  readonly #connections = new Map<Socket, Socket>();
  #cut: { readonly pid: number; readonly kind: CutKind } | undefined;

  /** @param ports of nodes at 127.0.0.1, and of it at its own address */
  static async start(ports: readonly number[]): Promise<Partition> {
    const partition = new Partition();
    for (const port of ports) {
      const server = createServer((socket) => void partition.#forward(socket, port));
      partition.#servers.push(server);
      await new Promise<void>((listening, failed) => server.once("error", failed).listen(port, Partition.address, listening));
    }
    return partition;
  }

  async #forward(dialler: Socket, port: number): Promise<void> {
    const node = connect(port, "127.0.0.1");
    this.#connections.set(dialler, node);
    for (const [from, to] of bothWays(dialler, node))
      from
        .pipe(to)
        .once("error", () => from.destroy())
        .once("close", () => from.destroy());
    this.#apply(dialler, node);
    await finished(dialler).catch(() => undefined);
    this.#connections.delete(dialler);
  }

  #apply(dialler: Socket, node: Socket): void {
    if (this.#cut === undefined || !isOf(this.#cut.pid, dialler.remotePort)) return;
    if (this.#cut.kind === "refused") dialler.destroy();
    else for (const [from, to] of bothWays(dialler, node)) from.unpipe(to).pause();
  }

  cut(pid: number, kind: CutKind): void {
    this.#cut = { pid, kind };
    for (const [dialler, node] of this.#connections) this.#apply(dialler, node);
  }

  /** Bytes that waited in connections come through now, as TCP sends them again. */
  heal(): void {
    this.#cut = undefined;
    for (const [dialler, node] of this.#connections) for (const [from, to] of bothWays(dialler, node)) from.pipe(to);
  }

  stop(): void {
    for (const server of this.#servers) server.close();
    for (const [dialler] of this.#connections) dialler.destroy();
  }
}

function bothWays(dialler: Socket, node: Socket): readonly (readonly [Socket, Socket])[] {
  return [
    [dialler, node],
    [node, dialler],
  ];
}

/** Whether a process has the connection from this port of 127.0.0.1. Addresses are in the order of bytes of a little-endian machine. */
function isOf(pid: number, port: number | undefined): boolean {
  const local = `0100007F:${port?.toString(16).toUpperCase().padStart(4, "0")}`;
  const rows = readFileSync("/proc/net/tcp", "utf8")
    .split("\n")
    .map((row) => row.trim().split(/\s+/));
  const inode = rows.find((row) => row[1] === local && row[2]?.startsWith("0200007F:"))?.[9];
  return (
    inode !== undefined &&
    readdirSync(`/proc/${pid}/fd`).some((descriptor) => targetOf(`/proc/${pid}/fd/${descriptor}`) === `socket:[${inode}]`)
  );
}

function targetOf(link: string): string | undefined {
  try {
    return readlinkSync(link);
  } catch {
    // it was closed meanwhile
    return undefined;
  }
}
