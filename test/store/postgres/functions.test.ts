/** The functions of SQL that unpack what Firn keeps as bytes, and what the database says of tables. */

import fc from "fast-check";
import pg from "pg";
import { describe, expect, onTestFinished, test } from "vitest";
import { allTables } from "../../../src/cli/store/all-tables.ts";
import { KINDS, type Transfer } from "../../../src/evm/facts.ts";
import { tokenList } from "../../../src/evm/index/list-rows.ts";
import { blockEntries, readEntries } from "../../../src/evm/index/postings.ts";
import { transferParts } from "../../../src/evm/index/read-parts.ts";
import { openPostgresStore } from "../../../src/store/postgres/open-postgres.ts";
import { rebuildAddress, swapInRebuild } from "../../../src/store/postgres/rebuild.ts";
import { hasPostgres, skipReason } from "../../postgres/binaries.ts";
import { scratchDatabase } from "../../postgres/scratch-database.ts";

const RUNS = { numRuns: 60 };

async function madeStore(): Promise<{ url: string; client: pg.Client }> {
  const { url } = await scratchDatabase();
  await made({ url });
  const client = new pg.Client(url);
  client.on("error", () => {});
  await client.connect();
  onTestFinished(() => client.end());
  return { url, client };
}

/** Opens for writing, as whatever makes the tables does. */
async function made(address: Parameters<typeof rebuildAddress>[0]): Promise<void> {
  const store = await openPostgresStore({ address, tables: allTables }, { mode: "write" });
  await store.close();
}

const hex = (length: number) => fc.uint8Array({ minLength: length, maxLength: length }).map((bytes) => Buffer.from(bytes).toString("hex"));
const someAddresses = fc.uniqueArray(hex(20), { minLength: 2, maxLength: 5 });
const amount = fc.oneof(fc.bigInt(0n, 300n), fc.bigInt(0n, 2n ** 256n - 1n));
const position = fc.oneof(fc.nat(300), fc.nat(2 ** 31));

const transfersOf = (addresses: readonly string[]): fc.Arbitrary<Transfer[]> => {
  const address = fc.constantFrom(...addresses, "00".repeat(20));
  const fields = { token: address, from: address, to: address, tokenId: amount, value: amount, logIndex: position, batchIndex: position };
  return fc.array(fc.record({ kind: fc.constantFrom(...KINDS), ...fields }) as fc.Arbitrary<Transfer>, { maxLength: 40 });
};

describe.skipIf(!hasPostgres)(`functions of SQL${skipReason}`, () => {
  test("unpack any transfers", async () => {
    const { client } = await madeStore();
    const any = someAddresses.chain((addresses) => transfersOf(addresses).map((transfers) => ({ addresses, transfers })));
    await fc.assert(
      fc.asyncProperty(any, async ({ addresses: [from, to], transfers }) => {
        const found: unknown[] = [];
        for (const part of transferParts(transfers, { from: from!, to: to! })) {
          const values = [part, Buffer.from(from!, "hex"), Buffer.from(to!, "hex")];
          found.push(...(await client.query("SELECT * FROM firn.transfers_of_part($1, $2, $3)", values)).rows);
        }
        const bytes = (text: string) => Buffer.from(text, "hex");
        const expected = transfers.map(({ kind, token, from, to, tokenId, value, logIndex, batchIndex }) => ({
          kind,
          token: bytes(token),
          sender: bytes(from),
          receiver: bytes(to),
          token_id: `${tokenId}`,
          value: `${value}`,
          log_index: `${logIndex}`,
          batch_index: `${batchIndex}`,
        }));
        expect(found).toEqual(expected);
      }),
      RUNS,
    );
  });

  test("unpack any list, and name those of tokens", async () => {
    const { client } = await madeStore();
    const parts = fc.uniqueArray(fc.record({ index: fc.nat(400), part: fc.nat(200) }), {
      minLength: 1,
      selector: ({ index, part }) => index * 1000 + part,
    });
    const blocks = fc.uniqueArray(fc.record({ height: fc.nat(31), parts }), { selector: ({ height }) => height, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(fc.bigInt(0n, 2n ** 40n), blocks, hex(20), async (window, some, token) => {
        const entries = Buffer.concat(
          some
            .sort((a, b) => a.height - b.height)
            .map(({ height, parts }) =>
              blockEntries(
                window * 32n + BigInt(height),
                parts.sort((a, b) => a.index - b.index || a.part - b.part),
              ),
            ),
        );
        const { rows } = await client.query("SELECT * FROM firn.list_parts($1, $2)", [`${window}`, entries]);
        const expected = readEntries(window, entries).map(({ height, index, part }) => ({
          height: `${height}`,
          index: `${index}`,
          part: `${part}`,
        }));
        expect(rows).toEqual(expected);
        const [named] = (await client.query("SELECT encode(firn.token_list($1), 'hex') AS list", [Buffer.from(token, "hex")])).rows;
        expect(named.list).toBe(tokenList(token));
      }),
      RUNS,
    );
  });

  test("are named when they are missing, made again by whatever writes, and go with the schema", async () => {
    const { url, client } = await madeStore();
    const address = { url };
    const call = "SELECT firn.token_list('\\x00')";
    await client.query("DROP FUNCTION firn.token_list");
    const store = await openPostgresStore({ address, tables: allTables }, { mode: "write" });
    await client.query("DROP FUNCTION firn.token_list");
    await expect(store.check()).rejects.toThrow(
      /^postgres:\S+ lacks the function token_list: somebody removed it, or an older Firn made the store; whatever writes the store makes it when it starts$/,
    );
    await store.close();
    await made(address);
    await client.query(call);

    // another body is that of another version
    await client.query("CREATE OR REPLACE FUNCTION firn.spent_at(spent bytea) RETURNS bigint LANGUAGE sql AS 'SELECT 7::bigint'");
    await client.query("COMMENT ON FUNCTION firn.spent_at IS 'of an older Firn'");
    await made(address);
    expect((await client.query("SELECT firn.spent_at('\\x00') AS height")).rows).toEqual([{ height: null }]);

    await made(rebuildAddress(address));
    await swapInRebuild(address);
    await client.query(call);
  });

  test("each table and column has a comment", async () => {
    const { client } = await madeStore();
    const text = `SELECT c.relname || coalesce('.' || a.attname, '') AS lacking
      FROM pg_class c LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0
      WHERE c.relnamespace = 'firn'::regnamespace AND c.relkind = 'r' AND c.relname = ANY ($1) AND col_description(c.oid, a.attnum) IS NULL
      UNION ALL SELECT relname FROM pg_class WHERE relnamespace = 'firn'::regnamespace AND relkind = 'r' AND obj_description(oid, 'pg_class') IS NULL`;
    expect((await client.query(text, [allTables.map(({ name }) => name)])).rows).toEqual([]);
    const [seen] = (await client.query("SELECT col_description('firn.evm_contracts'::regclass, 6) AS comment")).rows;
    expect(seen.comment).toBe("20 bytes: an ID, a hash or an address; NULL: there is none");
  });
});
