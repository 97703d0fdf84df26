import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readL1TxDetails } from "../../../../src/api/data/validators/l1-tx-details.ts";
import { listL1Validators } from "../../../../src/api/data/validators/list-l1-validators.ts";
import { encodeBech32 } from "../../../../src/base/bytes/address.ts";
import { formatId, formatNodeId } from "../../../../src/base/bytes/cb58.ts";
import { supplyTotals } from "../../../../src/index/primary/network/network-tables.ts";
import { settled } from "../../../../src/index/primary/network/network-totals.ts";
import { openStore } from "../../../../src/store/open.ts";
import type { Store } from "../../../../src/store/store.ts";
import { nodeOf } from "../../../chains/platform/state/fixture.ts";
import { CountingReader } from "../../../index/counting-reader.ts";
import { type ModelL1Validator, NetworkWorld } from "../../../index/primary/network/network-world.ts";
import { ask, walk } from "../staking/request.ts";

const directory = mkdtempSync(join(tmpdir(), "firn-l1-validators-"));
const world = new NetworkWorld(11);
const asked = { network: world.network, clock: 0n };
let store: Store;

beforeAll(async () => {
  store = await openStore({ directory, mode: "write" });
  await world.grow(store, 400, 7);
});

afterAll(async () => {
  await store.close();
  rmSync(directory, { recursive: true, force: true });
});

function json({ validationId, row }: ModelL1Validator) {
  const owner = ({ threshold, addresses }: typeof row.deactivationOwner) => ({
    threshold,
    addresses: addresses.map((address) => encodeBech32(world.network.hrp, address)),
  });
  return {
    ...{ validationId: formatId(validationId), validationIdHex: `0x${validationId}`, nodeId: formatNodeId(row.nodeId) },
    ...{ subnetId: formatId(row.subnetId), weight: Number(row.weight), creationTimestamp: Number(row.startTime) },
    remainingBalance: row.endAccumulatedFee === 0n ? 0 : Number(row.endAccumulatedFee - world.accruedFees),
    blsCredentials: { publicKey: `0x${row.publicKey}` },
    remainingBalanceOwner: owner(row.remainingBalanceOwner),
    deactivationOwner: owner(row.deactivationOwner),
  };
}

function newestFirst(validators: readonly ModelL1Validator[]): ModelL1Validator[] {
  const order = ({ row, validationId }: ModelL1Validator) => `${row.startTime}`.padStart(20, "0") + validationId;
  return [...validators].sort((a, b) => (order(a) < order(b) ? 1 : -1));
}

const perhaps = <T>(values: readonly T[]) => fc.option(fc.constantFrom(...values), { nil: undefined, freq: 2 });

test("any filters give what a loop over all validators gives, newest first, in pages of any size", async () => {
  const queries = fc.record({
    subnetId: perhaps([...world.subnets.map(({ subnetId }) => subnetId), "77".repeat(32)]),
    nodeId: perhaps(Array.from({ length: 8 }, (_, i) => nodeOf(i + 1))),
    l1ValidationId: fc.option(fc.constantFrom(...world.l1Validators.map(({ validationId }) => validationId)), { nil: undefined, freq: 1 }),
    includeInactive: fc.option(fc.boolean(), { nil: undefined }),
    pageSize: fc.integer({ min: 1, max: 100 }),
  });
  await fc.assert(
    fc.asyncProperty(queries, async ({ subnetId, nodeId, l1ValidationId, includeInactive, pageSize }) => {
      const found = world.listed.filter(
        ({ row, validationId }) =>
          (subnetId ?? row.subnetId) === row.subnetId &&
          (nodeId ?? row.nodeId) === row.nodeId &&
          (l1ValidationId ?? validationId) === validationId &&
          (includeInactive === true || row.endAccumulatedFee !== 0n),
      );
      const query = {
        pageSize: `${pageSize}`,
        ...(subnetId !== undefined && { subnetId: formatId(subnetId) }),
        ...(nodeId !== undefined && { nodeId: formatNodeId(nodeId) }),
        ...(l1ValidationId !== undefined && { l1ValidationId: formatId(l1ValidationId) }),
        ...(includeInactive !== undefined && { includeInactiveL1Validators: `${includeInactive}` }),
      };
      expect(await walk(listL1Validators, store, asked, query, "validators")).toEqual(newestFirst(found).map(json));
    }),
    { numRuns: 150 },
  );
});

test("balances are those at the height that the answer names", async () => {
  const { body } = await ask(listL1Validators, store, asked, { pageSize: "1" });
  expect(body.blockHeight).toBe(`${world.height}`);
});

test("each transaction says how the validators were right after it, one that disables an inactive one too", async () => {
  let unchanged = 0;
  for (const txId of new Set(world.details.map((detail) => detail.txId))) {
    const expected = world.details
      .filter((detail) => detail.txId === txId)
      .map(({ validationId, weight, remainingBalance, balanceChange }) => {
        if (balanceChange === 0n) unchanged++;
        const { row } = world.l1Validators.find((validator) => validator.validationId === validationId)!;
        return {
          ...{ validationId: formatId(validationId), validationIdHex: `0x${validationId}`, nodeId: formatNodeId(row.nodeId) },
          ...{ subnetId: formatId(row.subnetId), weight, remainingBalance, ...(balanceChange !== 0n && { balanceChange }) },
          blsCredentials: { publicKey: `0x${row.publicKey}` },
        };
      });
    expect(await readL1TxDetails(store, txId)).toEqual(expected);
  }
  expect(unchanged).toBeGreaterThan(20);
});

test("fees so far are what every validator paid, those that ran dry no more than they had", async () => {
  const totals = settled((await store.get(supplyTotals, { slot: 0 }))!, world.accruedFees);
  expect(totals.l1Fees).toBe(world.fees);
  expect(world.fees).toBeGreaterThan(0n);
});

test("a walk while validators come, change and go shows each that was there and stayed exactly once", async () => {
  const growing = new NetworkWorld(12);
  const path = mkdtempSync(join(tmpdir(), "firn-l1-walk-"));
  const grown = await openStore({ directory: path, mode: "write" });
  await growing.grow(grown, 120, 10);
  const before = new Set(growing.listed.map(({ validationId }) => formatId(validationId)));
  const seen: string[] = [];
  let after: Awaited<ReturnType<typeof ask>>["next"];
  do {
    const query = { pageSize: "3", includeInactiveL1Validators: "true" };
    const { body, next } = await ask(listL1Validators, grown, { ...asked, network: growing.network }, query, { after });
    seen.push(...(body.validators as { validationId: string }[]).map(({ validationId }) => validationId));
    after = next;
    await growing.grow(grown, 1, 1);
  } while (after !== undefined);
  const stayed = growing.listed.map(({ validationId }) => formatId(validationId)).filter((id) => before.has(id));
  expect(stayed.length).toBeGreaterThan(20);
  expect(stayed.filter((id) => !seen.includes(id))).toEqual([]);
  expect(new Set(seen).size).toBe(seen.length);
  await grown.close();
  rmSync(path, { recursive: true, force: true });
});

test("a page reads no more rows on a store that is 100 times larger", async () => {
  const path = mkdtempSync(join(tmpdir(), "firn-l1-large-"));
  const large = await openStore({ directory: path, mode: "write" });
  const many = new NetworkWorld(13, { nodeCount: 3 });
  await many.grow(large, 60, 20);
  await many.crowd(large, 100 * many.listed.length);
  const { row } = many.active[0]!;
  const filters = [{}, { nodeId: formatNodeId(row.nodeId) }, { subnetId: formatId(row.subnetId) }];
  for (const filter of [...filters, { ...filters[1], ...filters[2] }]) {
    for (const includeInactiveL1Validators of ["false", "true"]) {
      for (const pageSize of [1, 10, 100]) {
        const reader = new CountingReader(large);
        await ask(listL1Validators, reader, asked, { ...filter, includeInactiveL1Validators, pageSize: `${pageSize}` });
        expect(reader.reads).toBeLessThanOrEqual(3 * pageSize + 12);
      }
    }
  }
  await large.close();
  rmSync(path, { recursive: true, force: true });
});
