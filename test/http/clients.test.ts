import { expect, test } from "vitest";
import { type Client, Clients, type Connection } from "../../src/http/clients.ts";

test("The client with most connections is known at any time, whoever comes and goes", () => {
  const clients = new Clients();
  const open: Connection[] = [];
  const counts = () => {
    const all = new Map<Client, number>();
    for (const { client } of open) all.set(client, (all.get(client) ?? 0) + 1);
    return all;
  };
  let seed = 7;
  const random = (below: number) => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % below;
  };
  for (let step = 0; step < 2000; step++) {
    // grows and shrinks in turn, until nobody is left
    if (open.length > 0 && random(10) < (step % 400 < 200 ? 3 : 8)) {
      const [gone] = open.splice(random(open.length), 1);
      clients.remove(gone!);
    } else {
      const client = clients.enter(`client ${random(9)}`);
      const connection = { client, used: 0 } as unknown as Connection;
      open.push(connection);
      clients.add(connection);
    }
    const most = Math.max(0, ...counts().values());
    expect(clients.largest()?.connections.size ?? 0).toBe(most);
  }
});
