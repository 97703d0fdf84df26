/**
 * Functions of SQL for people: they unpack what Firn keeps as bytes. They read no tables and call nothing but PostgreSQL's own functions, so
 * they work under any search path and in a schema that is renamed.
 */
import { createHash } from "node:crypto";

interface SqlFunction {
  readonly name: string;
  /** types of its parameters */
  readonly takes: string;
  readonly does: string;
  /** behind `CREATE OR REPLACE FUNCTION`; with other results it needs another name */
  readonly text: string;
}

const PURE = "IMMUTABLE STRICT PARALLEL SAFE";
const U64 = (at: string) => `('x' || encode(substring(bytes FROM ${at} FOR 8), 'hex'))::bit(64)::bigint`;
const U32 = (at: string) => `('x' || encode(substring(bytes FROM ${at} FOR 4), 'hex'))::bit(32)::bigint`;

/** Seven bits a byte, the lowest first. */
const READ_VARINT = (into: string, from: string) => `${into} := 0; unit := 1;
    LOOP
      byte := get_byte(${from}, at); at := at + 1;
      ${into} := ${into} + (byte & 127) * unit; unit := unit * 128;
      EXIT WHEN byte < 128;
    END LOOP;`;

/** A number of the list of addresses, or 0 and a new one. */
const READ_ADDRESS = (into: string) => `byte := get_byte(part, at); at := at + 1;
    IF byte = 0 THEN
      known := known || substring(part FROM at + 1 FOR 20); at := at + 20; byte := array_length(known, 1);
    END IF;
    ${into} := known[byte];`;

/** A length and so many bytes. */
const READ_INTEGER = (into: string) => `length := get_byte(part, at); at := at + 1; ${into} := 0;
    FOR i IN 1..length LOOP ${into} := ${into} * 256 + get_byte(part, at); at := at + 1; END LOOP;`;

export const sqlFunctions: readonly SqlFunction[] = [
  {
    name: "token_list",
    takes: "bytea",
    does: "The list of evm_lists that has the transfers of a token.",
    text: `token_list(token bytea) RETURNS bytea LANGUAGE sql ${PURE} AS $firn$ SELECT substring(sha256(token || '\\x00'::bytea) FROM 1 FOR 10) $firn$`,
  },
  {
    name: "list_parts",
    takes: "numeric, bytea",
    does: "What a row of evm_lists leads to: parts of the transfers, or of the logs, of transactions.",
    text: `list_parts("window" numeric, entries bytea) RETURNS TABLE (height numeric, "index" bigint, part bigint) LANGUAGE plpgsql ${PURE} AS $firn$
DECLARE at integer := 0; stop integer; byte integer; unit bigint; size bigint; step bigint;
BEGIN
  WHILE at < octet_length(entries) LOOP
    height := "window" * 32 + get_byte(entries, at); at := at + 1;
    ${READ_VARINT("size", "entries")}
    stop := at + size; "index" := 0;
    WHILE at < stop LOOP
      ${READ_VARINT("step", "entries")}
      "index" := "index" + step / 2; part := 0;
      IF step % 2 = 1 THEN ${READ_VARINT("part", "entries")} END IF;
      RETURN NEXT;
    END LOOP;
  END LOOP;
END $firn$`,
  },
  {
    name: "transfers_of_part",
    takes: "bytea, bytea, bytea",
    does: "The transfers in a part: transfer_part of evm_transactions, or transfers of evm_transfers; with sender and receiver of the transaction. kind is 20, 21 (ERC-721) or 55 (ERC-1155).",
    text: `transfers_of_part(part bytea, tx_from bytea, tx_to bytea)
  RETURNS TABLE (kind integer, token bytea, sender bytea, receiver bytea, token_id numeric, value numeric, log_index bigint, batch_index bigint) LANGUAGE plpgsql ${PURE} AS $firn$
DECLARE at integer := 0; byte integer; unit bigint; length integer; known bytea[] := ARRAY[tx_from, tx_to, decode(repeat('00', 20), 'hex')];
BEGIN
  WHILE at < octet_length(part) LOOP
    kind := (ARRAY[20, 21, 55])[get_byte(part, at) + 1]; at := at + 1;
    ${READ_ADDRESS("token")}
    ${READ_ADDRESS("sender")}
    ${READ_ADDRESS("receiver")}
    ${READ_INTEGER("token_id")}
    ${READ_INTEGER("value")}
    ${READ_VARINT("log_index", "part")}
    ${READ_VARINT("batch_index", "part")}
    RETURN NEXT;
  END LOOP;
END $firn$`,
  },
  {
    name: "platform_utxo",
    takes: "bytea",
    does: "A UTXO of the P-chain: bytes of utxo_records where created_on is 0. locked_until: as an output that may be staked; locktime: as any other.",
    text: `platform_utxo(bytes bytea)
  RETURNS TABLE (tx_id bytea, output_index bigint, asset_id bytea, locked_until bigint, amount bigint, locktime bigint, threshold bigint, addresses bytea[]) LANGUAGE sql ${PURE} AS $firn$
  SELECT substring(bytes FROM 1 FOR 32), ${U32("33")}, substring(bytes FROM 37 FOR 32), CASE WHEN at = 85 THEN ${U64("73")} END,
         ${U64("at")}, ${U64("at + 8")}, ${U32("at + 16")},
         ARRAY(SELECT substring(bytes FROM at + 24 + 20 * i FOR 20) FROM generate_series(0, ${U32("at + 20")}::integer - 1) i)
  FROM (SELECT CASE WHEN substring(bytes FROM 69 FOR 4) = '\\x00000016'::bytea THEN 85 ELSE 73 END AS at) layout $firn$`,
  },
  {
    name: "spent_at",
    takes: "bytea",
    does: "The height at which a UTXO was spent, from spent of utxo_records; NULL: it was not.",
    text: `spent_at(spent bytea) RETURNS bigint LANGUAGE sql ${PURE} AS $firn$
  SELECT CASE WHEN get_byte(spent, 0) = 1 THEN ('x' || encode(substring(spent FROM 35 FOR 8), 'hex'))::bit(64)::bigint END $firn$`,
  },
];

/** By which a function of another version of Firn is told. */
export function commentOf({ does, text }: SqlFunction): string {
  return `${does} [${createHash("sha256").update(text).digest("hex").slice(0, 8)}]`;
}

/** The statements that make or replace a function. */
export function makeFunction(made: SqlFunction): string[] {
  const { name, takes, text } = made;
  return [
    // keeps what was granted, and views that people made of it
    `CREATE OR REPLACE FUNCTION ${text}`,
    `COMMENT ON FUNCTION ${name}(${takes}) IS '${commentOf(made).replaceAll("'", "''")}'`,
  ];
}
