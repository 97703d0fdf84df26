/** Where a store is in PostgreSQL. */
export interface PostgresAddress {
  /** `postgres://user@host:port/database`; parameters as libpq has them, e.g. `sslmode=require` */
  readonly url: string;
  /** first line: the password; instead of one in the URL or in PGPASSWORD */
  readonly passwordFile?: string | undefined;
  /** by default `firn` */
  readonly schema?: string | undefined;
}

const DEFAULT_SCHEMA = "firn";

export function schemaOf({ schema = DEFAULT_SCHEMA }: PostgresAddress): string {
  return schema;
}

/** The channel of the notifications about commits. */
export function channelOf(address: PostgresAddress): string {
  return `firn:${schemaOf(address)}`;
}

/** The address for people: without a password. */
export function placeOf({ url, schema }: PostgresAddress): string {
  const parsed = new URL(url);
  parsed.password = "";
  for (const name of [...parsed.searchParams.keys()]) if (/pass/i.test(name)) parsed.searchParams.delete(name);
  return schema === undefined || schema === DEFAULT_SCHEMA ? parsed.href : `${parsed.href} (schema ${schema})`;
}
