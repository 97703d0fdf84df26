/** A node that answers one side at a time, because anvil sometimes locks up if it is read while its chain is reorganized. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { ReadWriteLock } from "../../../src/base/work/read-write-lock.ts";
import type { Anvil } from "../../evm/anvil.ts";
import { guarded } from "../../evm/guarded-anvil.ts";

export interface GatedNode {
  /** for whoever follows the chain */
  readonly url: string;
  /** for whoever makes it */
  readonly anvil: Anvil;
  close(): Promise<void>;
}

export async function gatedNode(anvil: Anvil): Promise<GatedNode> {
  const lock = new ReadWriteLock();
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    try {
      const body = Buffer.concat(parts);
      const answer = await lock.shared(async () => {
        const headers = { "content-type": "application/json" };
        return Buffer.from(await (await fetch(anvil.url, { method: "POST", headers, body })).arrayBuffer());
      });
      response.setHeader("content-type", "application/json").end(answer);
    } catch {
      response.writeHead(502).end();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    anvil: guarded(anvil, lock),
    async close() {
      server.closeAllConnections();
      await new Promise<unknown>((resolve) => server.close(resolve));
      await anvil.stop();
    },
  };
}
