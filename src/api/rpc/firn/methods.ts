/** The methods of `/ext/firn`, with which people and tests drive a devnet. */
import type { Method } from "../method.ts";
import { advanceTime } from "./advance-time.ts";
import { createL1 } from "./create-l1.ts";
import { deleteSnapshot } from "./delete-snapshot.ts";
import { fund } from "./fund.ts";
import { getGenesis } from "./get-genesis.ts";
import { getStatus } from "./get-status.ts";
import { getUptime } from "./get-uptime.ts";
import { listKeys } from "./list-keys.ts";
import { listL1s } from "./list-l1s.ts";
import { listSnapshots } from "./list-snapshots.ts";
import { mine } from "./mine.ts";
import { revert } from "./revert.ts";
import { setTime } from "./set-time.ts";
import { setUptime } from "./set-uptime.ts";
import { signWarpMessage } from "./sign-warp-message.ts";
import { snapshot } from "./snapshot.ts";

export const firnMethods: readonly Method[] = [
  getStatus,
  getGenesis,
  advanceTime,
  setTime,
  getUptime,
  setUptime,
  mine,
  fund,
  listKeys,
  snapshot,
  revert,
  listSnapshots,
  deleteSnapshot,
  signWarpMessage,
  createL1,
  listL1s,
];
