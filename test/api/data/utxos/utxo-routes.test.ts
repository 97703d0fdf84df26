/** Routes of UTXOs, balances and activity over HTTP: pages and their tokens, the effect of the path's chain, limits and refusals. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { dataRoutes } from "../../../../src/api/data/routes.ts";
import { encodeBech32 } from "../../../../src/base/bytes/address.ts";
import { formatId } from "../../../../src/base/bytes/cb58.ts";
import { EMPTY_ID } from "../../../../src/base/bytes/id.ts";
import { assetChains } from "../../../../src/chains/asset/tables.ts";
import { evmTips } from "../../../../src/chains/atomic/tables.ts";
import { C_CHAIN, P_CHAIN, X_CHAIN } from "../../../../src/index/primary/primary-chain.ts";
import { ASSETS } from "../../../index/primary/utxos/utxo-lives.ts";
import { expectedList } from "../../../index/primary/utxos/utxo-loops.ts";
import { type Kind, type LivingUtxo, network, newUtxo, UtxoWorld } from "../../../index/primary/utxos/utxo-world.ts";
import { change } from "../../../serve/small-store.ts";
import { type DataNode, startDataNode } from "../data-node.ts";

const [A, B, STRANGER] = ["a", "b", "c"].map((digit) => digit.repeat(40)) as [string, string, string];
const text = (address: string) => encodeBech32(network.hrp, address);
const json = { "content-type": "application/json" };

let node: DataNode;
let world: UtxoWorld;

const alone = { threshold: 1, addresses: [A] };
const kind = { createdOn: P_CHAIN, consumedOn: P_CHAIN, owner: alone, amount: 5n, assetId: network.avaxAssetId, isNft: false } as const;
const unlocked = { locktime: 0n, stakeableLocktime: undefined };

async function make(changes: Partial<Kind>, time: bigint, stake?: { end: bigint; isPending: boolean }): Promise<LivingUtxo> {
  const utxo = newUtxo({ ...kind, ...unlocked, ...changes });
  const { utxoId, bytes, createdOn, consumedOn } = utxo;
  await world.block(createdOn, time, [utxo], (ledger) =>
    ledger.create({ utxoId, bytes, consumedOn, ...(stake && { stake: { start: time, ...stake } }) }),
  );
  utxo.created = time;
  world.utxos.push(utxo);
  return utxo;
}

const FAR = 10_000_000_000n;

beforeAll(async () => {
  node = await startDataNode({ dataRoutes, network });
  await node.store.commit([
    change(assetChains, { chain: 0 }, { chainId: network.xChainId, fxIds: [] }),
    change(evmTips, { chainId: network.cChainId }, { height: 30n, lastAccepted: EMPTY_ID, timestamp: 0n }),
  ]);
  world = new UtxoWorld(node.store);
  for (let i = 0; i < 23; i++) await make({ amount: BigInt(i % 7) + 1n }, 100n + BigInt(i >> 1));
  const spent = await make({ amount: 50n }, 120n);
  await make({ owner: { threshold: 2, addresses: [A, B] }, amount: 70n }, 121n);
  await make({ locktime: FAR, amount: 100n }, 122n);
  await make({ stakeableLocktime: FAR, amount: 200n }, 122n);
  await make({ stakeableLocktime: FAR, amount: 300n }, 122n, { end: 1000n, isPending: false });
  await make({ amount: 400n }, 122n, { end: 1000n, isPending: false });
  await make({ amount: 500n }, 122n, { end: 1000n, isPending: true });
  await make({ consumedOn: X_CHAIN, amount: 600n }, 123n);
  await world.block(P_CHAIN, 124n, [spent], (ledger) => ledger.consume(spent.utxoId, 0, EMPTY_ID, { isImport: false }));
  spent.spent = 124n;
  await make({ createdOn: X_CHAIN, consumedOn: X_CHAIN, assetId: ASSETS[1]!, amount: 7n }, 110n);
  await make({ createdOn: X_CHAIN, consumedOn: X_CHAIN, amount: 8n, locktime: FAR }, 111n);
  await make({ createdOn: X_CHAIN, consumedOn: P_CHAIN, amount: 9n }, 112n);
  await make({ createdOn: C_CHAIN, consumedOn: P_CHAIN, amount: 11n, locktime: FAR }, 112n);
  await world.commit();
});

afterAll(() => node.remove());

const path = (chain: string, rest: string) => `/v1/networks/fuji/blockchains/${chain}/${rest}`;

async function walk(first: string, init?: RequestInit): Promise<{ utxos: string[]; sizes: number[] }> {
  const utxos: string[] = [];
  const sizes: number[] = [];
  let token: string | undefined;
  do {
    const { status, body } = await node.ask(token === undefined ? first : `${first}&pageToken=${token}`, init);
    expect(status, JSON.stringify(body)).toBe(200);
    utxos.push(...body.utxos.map(({ utxoId }: { utxoId: string }) => utxoId));
    sizes.push(body.utxos.length);
    token = body.nextPageToken;
  } while (token !== undefined);
  return { utxos, sizes };
}

const query = { minAmount: 0n, includeSpent: false, sortBy: "timestamp", isDescending: true, assetId: undefined, limit: 10 } as const;

test.each([
  ["", {}],
  ["&includeSpent=true", { includeSpent: true }],
  ["&sortBy=amount&sortOrder=asc&minUtxoAmount=3", { sortBy: "amount", isDescending: false, minAmount: 3n }],
  ["&sortOrder=asc&minUtxoAmount=2.5&includeSpent=true", { isDescending: false, minAmount: 3n, includeSpent: true }],
  ["&minUtxoAmount=1e2", { minAmount: 100n }],
  ["&minUtxoAmount=25e-1", { minAmount: 3n }],
] as const)("pages by GET and by POST with '%s' are those of all UTXOs, the last without a token", async (filters, changes) => {
  const expected = expectedList(world.utxos, { chain: P_CHAIN, owners: [A], ...query, ...changes }).map(formatId);
  const got = await walk(path("p-chain", `utxos?addresses=P-${text(A)}&pageSize=7${filters}`));
  expect(got.utxos).toEqual(expected);
  expect(got.sizes.slice(0, -1).every((size) => size === 7) && got.sizes.at(-1)! > 0).toBe(true);
  const body = JSON.stringify({ addresses: [text(A), text(STRANGER)].join() });
  const posted = await walk(path("p-chain", `utxos?pageSize=7${filters}`), { method: "POST", headers: json, body });
  expect(posted.utxos).toEqual(expected);
});

test("a UTXO of several owners is shown when as many are asked for as it takes, or nobody is", async () => {
  const shared = formatId(world.utxos.find(({ owner }) => owner.threshold === 2)!.utxoId);
  const shows = async (addresses: string) => (await walk(path("p-chain", `utxos?${addresses}&pageSize=100`))).utxos.includes(shared);
  expect(await shows(`addresses=${text(A)}`)).toBe(false);
  expect(await shows(`addresses=${text(B)}`)).toBe(false);
  expect(await shows(`addresses=${text(A)},${text(B)}`)).toBe(true);
  expect(await shows("")).toBe(true);
});

test("what crosses chains is in the lists of both, in the form of the path", async () => {
  const exported = world.utxos.find(({ createdOn, consumedOn }) => createdOn === P_CHAIN && consumedOn === X_CHAIN)!;
  const find = async (chain: string) => {
    const { body } = await node.ask(path(chain, `utxos?addresses=${text(A)}&pageSize=100`));
    expect(body.chainInfo).toEqual({ chainName: chain, network: "fuji" });
    return body.utxos.find(({ utxoId }: { utxoId: string }) => utxoId === formatId(exported.utxoId));
  };
  expect(await find("p-chain")).toMatchObject({ blockTimestamp: 123, outputIndex: 0, amount: "600" });
  expect(await find("x-chain")).toMatchObject({ timestamp: 123, outputIndex: "0", asset: { amount: "600" } });
  expect(await find("c-chain")).toBeUndefined();
});

test("an asset filters on the X-chain and is refused elsewhere", async () => {
  const asset = formatId(ASSETS[1]!);
  const ofAsset = await walk(path("x-chain", `utxos?addresses=${text(A)}&assetId=${asset}`));
  expect(ofAsset.utxos).toEqual(world.utxos.filter(({ assetId }) => assetId === ASSETS[1]).map(({ utxoId }) => formatId(utxoId)));
  for (const chain of ["p-chain", "c-chain"]) {
    const { status, body } = await node.ask(path(chain, `utxos?addresses=${text(A)}&assetId=${asset}`));
    expect(status).toBe(400);
    expect(body.message).toBe(`assetId selects UTXOs of the x-chain; those of the ${chain} are not listed by asset: leave it out`);
  }
});

/** Amounts by bucket; other members are of `asset-amount.ts`. */
async function balances(chain: string, parameters = ""): Promise<Record<string, unknown>> {
  const { status, body } = await node.ask(path(chain, `balances?addresses=${text(A)}${parameters}`));
  expect(status, JSON.stringify(body)).toBe(200);
  type Entry = { amount: string; utxoCount: number; status?: string; sharedWithChainId?: string };
  const short = ({ amount, utxoCount, status, sharedWithChainId }: Entry) =>
    [
      `${amount} in ${utxoCount}`,
      ...(status === undefined ? [] : [status]),
      ...(sharedWithChainId === undefined ? [] : [sharedWithChainId]),
    ].join(" ");
  return Object.fromEntries(Object.entries<Entry[]>(body.balances).map(([bucket, entries]) => [bucket, entries.map(short)]));
}

test("balances are in the buckets of each chain", async () => {
  const [x, c] = [formatId(network.xChainId), formatId(network.cChainId)];
  const plain = world.utxos.slice(0, 23).reduce((sum, { amount }) => sum + amount, 0n);
  expect(await balances("p-chain")).toEqual({
    unlockedUnstaked: [`${plain} in 23`],
    unlockedStaked: ["400 in 1"],
    lockedPlatform: ["100 in 1"],
    lockedStakeable: ["200 in 1"],
    lockedStaked: ["300 in 1"],
    pendingStaked: ["500 in 1"],
    atomicMemoryUnlocked: [expect.stringMatching(new RegExp(`^(600 in 1 pendingExport|9 in 1 pendingImport) ${x}$`)), expect.any(String)],
    atomicMemoryLocked: [`11 in 1 pendingImport ${c}`],
  });
  expect(await balances("x-chain")).toEqual({
    locked: ["8 in 1"],
    unlocked: ["7 in 1"],
    atomicMemoryUnlocked: ["609 in 2 11111111111111111111111111111111LpoYY"],
    atomicMemoryLocked: [],
  });
  expect(await balances("c-chain")).toEqual({
    atomicMemoryUnlocked: [],
    atomicMemoryLocked: ["11 in 1 11111111111111111111111111111111LpoYY"],
  });
});

test("balances of the past are those before the second that is asked for, and 0 is now", async () => {
  expect((await balances("p-chain", "&blockTimestamp=100")).unlockedUnstaked).toEqual([]);
  expect((await balances("p-chain", "&blockTimestamp=101")).unlockedUnstaked).toEqual(["3 in 2"]);
  expect((await balances("p-chain", "&blockTimestamp=122")).unlockedUnstaked).not.toEqual((await balances("p-chain")).unlockedUnstaked);
  expect(await balances("p-chain", "&blockTimestamp=0")).toEqual(await balances("p-chain"));
  const unlocked = await balances("p-chain", `&blockTimestamp=${FAR}`);
  expect([unlocked.lockedPlatform, unlocked.lockedStakeable, unlocked.atomicMemoryLocked]).toEqual([[], [], []]);
  expect((await balances("p-chain", `&blockTimestamp=${FAR - 1n}`)).lockedStakeable).toEqual(["200 in 1"]);
});

test("the last activity is the newest making or spending, whatever the threshold; addresses never seen are 404", async () => {
  const rest = "lastActivityTimestampByAddresses";
  const { body } = await node.ask(path("p-chain", `${rest}?addresses=${text(A)}`));
  expect(body).toMatchObject({ timestamp: 124, isConsumed: true, chainName: "p-chain", network: "fuji" });
  const ofOther = await node.ask(path("p-chain", rest), {
    method: "POST",
    headers: json,
    body: JSON.stringify({ addresses: `${text(STRANGER)},${text(B)}` }),
  });
  expect(ofOther.body).toMatchObject({ timestamp: 121, isConsumed: false });
  expect((await node.ask(path("x-chain", `${rest}?addresses=${text(B)}`))).status).toBe(404);
  for (const [least, timestamp] of [
    ["50", 124],
    ["50.5", 123],
    ["600", 123],
    ["601", undefined],
    [`${2n ** 64n}`, undefined],
  ] as const) {
    const ofMore = await node.ask(path("p-chain", `${rest}?addresses=${text(A)}&minUtxoAmount=${least}`));
    expect([ofMore.status, ofMore.body.timestamp]).toEqual([timestamp === undefined ? 404 : 200, timestamp]);
    if (timestamp === undefined) expect(ofMore.body.message).toContain(`with a UTXO of at least ${least}; use`);
  }
  expect((await node.ask(path("p-chain", `${rest}?addresses=${text(STRANGER)}`))).body.message).toMatch(/never|ever/);
});

test("chains of addresses come in order, without addresses that have none", async () => {
  const { body } = await node.ask(`/v1/networks/fuji/addresses:listChainIds?addresses=${[STRANGER, B, A].map(text).join()}`);
  const [p, x, c] = [
    "11111111111111111111111111111111LpoYY",
    "2JVSBoinj9C2J33VntvzYtVJNZdN2NKiwwKjcumHUWEb5DbBrm",
    "yH8D7ThNJkxmtkuv2jgBa4P1Rn3Qpr4pPr7QYNfcdoS6k6HWp",
  ];
  expect(body).toEqual({
    addresses: [
      { address: text(B), blockchainIds: [p] },
      { address: text(A), blockchainIds: [p, x, c] },
    ],
  });
  expect((await node.ask(`/v1/networks/fuji/addresses:listChainIds?addresses=${text(STRANGER)}`)).body).toEqual({ addresses: [] });
});

const many = (count: number) => Array.from({ length: count }, (_, i) => text(i.toString(16).padStart(40, "0"))).join();

test.each([
  [path("p-chain", `utxos?addresses=${many(64)}`), 200],
  [path("p-chain", `utxos?addresses=${many(65)}`), 400],
  [path("p-chain", `balances?addresses=${many(65)}`), 400],
  [path("p-chain", `lastActivityTimestampByAddresses?addresses=${many(65)}`), 400],
  [`/v1/networks/fuji/addresses:listChainIds?addresses=${many(65)}`, 400],
  ["/v1/networks/fuji/addresses:listChainIds", 400],
  [path("p-chain", `utxos?addresses=${text(STRANGER)}`), 200],
  [path("p-chain", "utxos?addresses="), 400],
  [path("p-chain", "utxos?addresses=fuji1qqqq"), 400],
  [path("p-chain", `utxos?addresses=0x${A}`), 400],
  [path("p-chain", "utxos?pageSize=0"), 400],
  [path("p-chain", "utxos?pageSize=101"), 400],
  [path("p-chain", "utxos?minUtxoAmount=-1"), 400],
  [path("p-chain", "utxos?minUtxoAmount=x"), 400],
  [path("p-chain", "lastActivityTimestampByAddresses?minUtxoAmount=x"), 400],
  [path("p-chain", `utxos?minUtxoAmount=${2n ** 64n}`), 200],
  [path("p-chain", "utxos?sortBy=size"), 400],
  [path("p-chain", "utxos?sortOrder=up"), 400],
  [path("p-chain", "utxos?includeSpent=maybe"), 400],
  [path("x-chain", "utxos?assetId=AVAX"), 400],
  [path("p-chain", "utxos?pageToken=nonsense"), 400],
  [path("p-chain", "balances?blockTimestamp=-1"), 400],
  [path("p-chain", "balances?blockTimestamp=soon"), 400],
  [path("z-chain", "utxos"), 400],
])("%s is answered with %i", async (asked, status) => {
  const answered = await node.ask(asked);
  expect(answered.status, JSON.stringify(answered.body)).toBe(status);
});

test.each([
  [1024, 200],
  [1025, 400],
])("%i addresses by POST are answered with %i", async (count, status) => {
  const init = { method: "POST", headers: json, body: JSON.stringify({ addresses: many(count) }) };
  expect((await node.ask(path("p-chain", "utxos?pageSize=1024"), init)).status).toBe(status);
  expect((await node.ask(path("p-chain", "lastActivityTimestampByAddresses"), init)).status).toBe(status === 200 ? 404 : status);
});

test.each([
  [undefined, 400],
  ["{}", 400],
  ['{"addresses":["local1"]}', 400],
  ['{"addresses":""}', 400],
])("a body of %s is answered with %i", async (body, status) => {
  const init = { method: "POST", headers: json, ...(body !== undefined && { body }) };
  expect((await node.ask(path("p-chain", "utxos"), init)).status).toBe(status);
});

test("a token goes on with the filters of its first page, on the same chain only", async () => {
  const { body } = await node.ask(path("p-chain", `utxos?addresses=${text(A)}&pageSize=5&sortBy=amount`));
  const next = (chain: string, rest: string) => node.ask(path(chain, `utxos?${rest}&pageSize=5&pageToken=${body.nextPageToken}`));
  const second = await next("p-chain", `addresses=${text(A)}&sortBy=amount`);
  const ids = (page: { utxos: { utxoId: string }[] }) => page.utxos.map(({ utxoId }) => utxoId);
  const expected = expectedList(world.utxos, { chain: P_CHAIN, owners: [A], ...query, sortBy: "amount" });
  expect(ids(second.body)).toEqual(expected.slice(5, 10).map(formatId));
  expect(ids((await next("p-chain", `addresses=${text(B)}&sortBy=timestamp`)).body)).toEqual(ids(second.body));
  expect((await next("x-chain", `addresses=${text(A)}`)).status).toBe(400);
});
