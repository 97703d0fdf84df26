/**
 * What tests ask of a development node. Here are the methods that move the clock, make blocks, take a snapshot and go back to it; all of them
 * are in one table.
 */

import { checkReachable } from "../../../api/rpc/firn/clock-json.ts";
import { FirnError } from "../../../base/errors/errors.ts";
import type { JsonValue } from "../../../base/json/go-encode.ts";
import { accountMethods } from "./account-methods.ts";
import type { CheatMethod, DevnetOfTests } from "./cheat-method.ts";
import { whole } from "./cheat-params.ts";
import { impersonationMethods } from "./impersonation-methods.ts";
import { miningMethods } from "./mining-methods.ts";
import { tokenMethods } from "./token-methods.ts";

/** Each takes some milliseconds. */
const MOST_BLOCKS = 1024n;

export const cheatMethods: ReadonlyMap<string, CheatMethod> = new Map<string, CheatMethod>([
  ["evm_mine", mineOne],
  ["hardhat_mine", mine],
  ["anvil_mine", mine],
  ...["evm", "anvil"].flatMap((namespace): [string, CheatMethod][] => [
    [`${namespace}_increaseTime`, increaseTime],
    [`${namespace}_setNextBlockTimestamp`, setNextBlockTimestamp],
    [`${namespace}_snapshot`, snapshot],
    [`${namespace}_revert`, revert],
  ]),
  ...accountMethods,
  ...tokenMethods,
  ...miningMethods,
  ...impersonationMethods,
]);

/** Answers how many seconds the clock is ahead of the machine's. */
async function increaseTime(devnet: DevnetOfTests, [by]: readonly unknown[]): Promise<JsonValue> {
  const seconds = whole(by, "the number of seconds");
  checkReachable(devnet.now() + seconds);
  await devnet.advanceTime(seconds);
  return Number(devnet.now()) - Math.floor(Date.now() / 1000);
}

async function setNextBlockTimestamp(devnet: DevnetOfTests, [to]: readonly unknown[]): Promise<JsonValue> {
  const time = whole(to, "the time in Unix seconds");
  checkReachable(time);
  await devnet.setNextEvmTimestamp(time);
  return null;
}

/** @param params the block's time, or none */
async function mineOne(devnet: DevnetOfTests, [to]: readonly unknown[]): Promise<JsonValue> {
  // anvil's clients send it in an object, or null
  const timestamp = (to as { timestamp?: unknown } | null | undefined)?.timestamp ?? to;
  if (timestamp !== undefined && timestamp !== null && typeof timestamp !== "object") await setNextBlockTimestamp(devnet, [timestamp]);
  await devnet.mineEvm(1, 0n);
  return "0x0";
}

/** @param params number of blocks, and seconds between two of them */
async function mine(devnet: DevnetOfTests, [blocks = 1, interval = 1]: readonly unknown[]): Promise<JsonValue> {
  const count = whole(blocks, "the number of blocks", MOST_BLOCKS);
  const seconds = whole(interval, "the number of seconds between blocks");
  checkReachable(devnet.now() + count * seconds);
  await devnet.mineEvm(Number(count), seconds);
  return true;
}

async function snapshot(devnet: DevnetOfTests): Promise<JsonValue> {
  return `0x${BigInt(await devnet.snapshot({ isForOnce: true })).toString(16)}`;
}

/** Answers whether there was such a snapshot. It is used up, and so are later ones. */
async function revert(devnet: DevnetOfTests, [id]: readonly unknown[]): Promise<JsonValue> {
  const wanted = `${whole(id, "the ID of the snapshot")}`;
  try {
    await devnet.revert(wanted, { usesUp: true });
    return true;
  } catch (error) {
    if (error instanceof FirnError && error.code === "unknown-snapshot") return false;
    throw error;
  }
}
