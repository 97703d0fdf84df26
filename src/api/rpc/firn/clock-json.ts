/** The devnet's clock in requests and answers of `firn.*`. */

import type { JsonObject } from "../../../base/json/go-encode.ts";
import { RpcError } from "../errors.ts";
import { rfc3339 } from "../platform/rfc3339.ts";
import type { Development } from "./development.ts";
import { textKind } from "./params.ts";

export const TIME_WANTED = "Unix seconds, or a time like 2027-01-31T12:00:00Z";

const UTC_TIME = /^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$/;

/** Unix seconds */
export const timeParam = textKind("time", TIME_WANTED, (text) => {
  if (/^[0-9]{1,20}$/.test(text)) return BigInt(text);
  const milliseconds = UTC_TIME.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(milliseconds) || milliseconds < 0 ? undefined : BigInt(milliseconds / 1000);
});

/** 9999-12-31T23:59:59Z; most parsers cannot read later times. */
const LATEST = 253_402_300_799n;

export function checkReachable(time: bigint): void {
  if (time > LATEST)
    throw new RpcError(`the clock would show Unix time ${time}; the latest that it can show is ${LATEST}, the end of the year 9999`);
}

export function clockJson(development: Development): JsonObject {
  const now = development.now();
  return { time: rfc3339(now), unixTime: now };
}
