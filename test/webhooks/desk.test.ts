/** Webhooks as their owners make and change them, against sets in memory. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { type Store, scanAll } from "../../src/store/store.ts";
import { webhookTableList } from "../../src/webhooks/webhook-table-list.ts";
import { webhookAddresses, webhookSecrets, webhookWatchers } from "../../src/webhooks/webhook-tables.ts";
import { OWNER, PLAIN, SCOPE, StoredChain, serviceOf } from "./stored-chain.ts";

const OTHER = "0000abcd";
const ADDRESSES = Array.from({ length: 6 }, (_, i) => `0${i}`.repeat(20));

/** Webhooks by address, as the feed looks them up, and addresses by webhook. */
async function watched(store: Store): Promise<{ byAddress: object; byWebhook: object }> {
  const byAddress: Record<string, number[]> = {};
  const byWebhook: Record<number, string[]> = {};
  for await (const { key, value } of scanAll(store, webhookWatchers)) byAddress[key.address] = value.webhooks;
  for await (const { key } of scanAll(store, webhookAddresses)) byWebhook[key.webhook] = [...(byWebhook[key.webhook] ?? []), key.address];
  return { byAddress, byWebhook };
}

const some = fc.uniqueArray(fc.constantFrom(...ADDRESSES), { maxLength: 4 });
const action = fc.oneof(
  fc.record({ kind: fc.constant("create" as const), addresses: some, pick: fc.nat() }),
  fc.record({ kind: fc.constantFrom("add" as const, "remove" as const), addresses: some, pick: fc.nat() }),
  fc.record({ kind: fc.constantFrom("off" as const, "on" as const, "restart" as const), addresses: some, pick: fc.nat() }),
);

test("addresses are those that were added and not removed, found from both sides, also after a restart", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(action, { maxLength: 20, size: "max" }), async (actions) => {
      const chain = new StoredChain();
      await chain.grow(0, [[]]);
      let { desk } = await serviceOf(chain.store);
      const model: { id: string; addresses: Set<string>; isActive: boolean }[] = [];
      for (const { kind, addresses, pick } of actions) {
        if (kind === "create") {
          const { id } = await desk.create(OWNER, PLAIN, addresses);
          model.push({ id, addresses: new Set(addresses), isActive: true });
          continue;
        }
        if (kind === "restart") ({ desk } = await serviceOf(chain.store));
        const one = model[pick % Math.max(1, model.length)];
        if (one === undefined) continue;
        if (kind === "add") {
          await desk.addAddresses(OWNER, one.id, addresses);
          for (const address of addresses) one.addresses.add(address);
        } else if (kind === "remove") {
          await desk.removeAddresses(OWNER, one.id, addresses);
          for (const address of addresses) one.addresses.delete(address);
        } else if (kind !== "restart") {
          one.isActive = kind === "on";
          await desk.update(OWNER, one.id, { isActive: one.isActive });
        }
      }
      const byAddress = ADDRESSES.flatMap((address) => {
        const numbers = model.flatMap(({ addresses }, i) => (addresses.has(address) ? [i + 1] : []));
        return numbers.length === 0 ? [] : [[address, numbers] as const];
      });
      const byWebhook = model.flatMap(({ addresses }, i) => (addresses.size === 0 ? [] : [[i + 1, [...addresses].sort()] as const]));
      expect(await watched(chain.store)).toEqual({ byAddress: Object.fromEntries(byAddress), byWebhook: Object.fromEntries(byWebhook) });
      const { items } = await desk.list(OWNER, { limit: 100 });
      expect(items.map(({ id, isActive, addressCount, addresses }) => ({ id, isActive, addressCount, addresses }))).toEqual(
        model.map(({ id, isActive, addresses }) => ({ id, isActive, addressCount: addresses.size, addresses: [...addresses].sort() })),
      );
      const listed: string[] = [];
      const [first] = model;
      for (let after: string | undefined; first !== undefined; ) {
        const page = await desk.addresses(OWNER, first.id, { limit: 2, ...(after !== undefined && { after }) });
        listed.push(...page.items);
        after = page.next;
        if (after === undefined) break;
      }
      expect(listed).toEqual([...(first?.addresses ?? [])].sort());
      await chain.store.close();
    }),
    { numRuns: 40 },
  );
});

test("pages of webhooks have each once, and only one's own", async () => {
  const chain = new StoredChain();
  await chain.grow(0, [[]]);
  const { desk } = await serviceOf(chain.store);
  const ids: string[] = [];
  for (let i = 0; i < 5; i++) {
    await desk.create(OTHER, PLAIN, []);
    ids.push((await desk.create(OWNER, PLAIN, [])).id);
  }
  const found: string[] = [];
  for (let after = 0; ; ) {
    const { items, next } = await desk.list(OWNER, { limit: 2, after });
    found.push(...items.map(({ id }) => id));
    if (next === undefined) break;
    after = next;
  }
  expect(found).toEqual(ids);
  for (const asking of [desk.get(OTHER, ids[0]!), desk.update(OTHER, ids[0]!, {}), desk.deliveries(OTHER, ids[0]!, { limit: 1 })]) {
    await expect(asking).rejects.toMatchObject({ status: 404 });
  }
  await desk.rotateSecret(OWNER);
  await expect(desk.secret(OTHER)).rejects.toMatchObject({ status: 404 });
  await chain.store.close();
});

test("a key has a bounded number of webhooks: the oldest that are off go, with all that they had", async () => {
  const chain = new StoredChain();
  await chain.grow(0, [[]]);
  const desk = { webhooksOfKey: 2, webhooks: 3, addresses: 5 };
  const service = await serviceOf(chain.store, { bounds: { desk } });
  const [first, second] = [await service.desk.create(OWNER, PLAIN, ADDRESSES.slice(0, 2)), await service.desk.create(OWNER, PLAIN, [])];
  await expect(service.desk.create(OWNER, PLAIN, [])).rejects.toThrow("an API key may have 2 webhooks");
  await expect(service.desk.addAddresses(OWNER, second.id, ADDRESSES.slice(0, 4))).rejects.toThrow(
    "may watch 5 addresses together, and watch 2",
  );
  await service.desk.update(OWNER, first.id, { isActive: false });
  const third = await service.desk.create(OWNER, PLAIN, ADDRESSES.slice(1, 4));
  expect((await service.desk.list(OWNER, { limit: 9 })).items.map(({ id }) => id)).toEqual([second.id, third.id]);
  expect(Object.keys((await watched(chain.store)).byAddress)).toEqual(ADDRESSES.slice(1, 4));
  for (const { id } of [second, third]) await service.desk.update(OWNER, id, { isActive: false });
  await service.desk.create(OTHER, PLAIN, []);
  await expect(service.desk.create("00001111", PLAIN, [])).rejects.toThrow("and a server 3");
  expect(SCOPE.kind).toBe("evm");
  await chain.store.close();
});

test("a webhook that is removed leaves no row", async () => {
  const chain = new StoredChain();
  await chain.grow(0, [[]]);
  const { desk, feed, registry } = await serviceOf(chain.store, { bounds: { desk: { webhooksOfKey: 1, webhooks: 2, addresses: 9 } } });
  const { id } = await desk.create(OWNER, PLAIN, ["a1".repeat(20)]);
  await chain.grow(0, [[{ from: "a1".repeat(20), to: "a1".repeat(20), isSuccess: true, inputLength: 0, intents: [] }]]);
  while (await feed.step(SCOPE));
  expect([...registry.all][0]!.queue.next).toBe(2n);
  await desk.update(OWNER, id, { isActive: false });
  await desk.create(OWNER, PLAIN, []);
  const left: string[] = [];
  for (const table of webhookTableList) {
    for await (const { key } of scanAll(chain.store, table)) if ("webhook" in key && key.webhook === 1) left.push(table.name);
  }
  expect(left).toEqual([]);
  expect(await chain.store.get(webhookSecrets, { owner: OWNER })).toBeUndefined();
  await chain.store.close();
});
