/**
 * Keeps the parameters that a store's network has, as they were when its blocks were executed. A newer Firn, or a node that was upgraded, may
 * schedule upgrades that are yet to come; nothing else may change.
 */

import { FirnError } from "../../base/errors/errors.ts";
import type { Change } from "../../base/table/table.ts";
import { platformChain } from "../../chains/platform/tables.ts";
import { storeSource } from "../../index/tables.ts";
import { formatTime } from "../../network/go-time.ts";
import { type Network, UPGRADE_NAMES, type UpgradeName } from "../../network/network.ts";
import { formatNetworkFile, parseNetworkFile } from "../../network/network-file.ts";
import { withSchedule } from "../../network/presets.ts";
import type { Store } from "../../store/store.ts";
import type { FollowedNetwork } from "./followed-network.ts";

/** Writes the parameters of `followed` into a store that has others, unless blocks were executed with them. */
export async function adoptParameters(store: Store, { network, networkFile }: FollowedNetwork): Promise<void> {
  const stored = await store.get(storeSource, { slot: 0 });
  const chain = await store.get(platformChain, { slot: 0 });
  if (stored === undefined || chain === undefined) return;
  const before = parseNetworkFile(JSON.parse(Buffer.from(stored.network).toString()));
  const changed = UPGRADE_NAMES.filter((name) => before.upgrades.times[name] !== network.upgrades.times[name]);
  const past = changed.find((name) => executedTo(chain.timestamp, before, name) || executedTo(chain.timestamp, network, name));
  if (past !== undefined) {
    const times = `${formatTime(before.upgrades.times[past])}, not at ${formatTime(network.upgrades.times[past])}`;
    throw changedError(`its blocks were executed with ${past} at ${times}`, remedyOf(past, before, network));
  }
  const withTimes = { ...before, upgrades: { ...before.upgrades, times: network.upgrades.times } };
  if (formatNetworkFile(withTimes) !== formatNetworkFile(network)) {
    throw changedError("its parameters are not those of the network that is to be followed", AFRESH);
  }
  if (changed.length > 0) {
    await store.commit([{ table: storeSource, key: { slot: 0 }, value: { ...stored, network: networkFile } } as Change]);
  }
}

function executedTo(time: bigint, { upgrades }: Pick<Network, "upgrades">, name: UpgradeName): boolean {
  return upgrades.times[name] <= time;
}

const AFRESH = "follow the network into an empty --data-dir";

/** A reindex executes the blocks again with the times that this Firn knows of the network. */
function remedyOf(upgrade: UpgradeName, stored: Network, { upgrades }: Network): string {
  const isKnown = withSchedule(stored).upgrades.times[upgrade] === upgrades.times[upgrade];
  return isKnown ? "run firn reindex, which executes them again with the right time" : AFRESH;
}

function changedError(reason: string, remedy: string): FirnError {
  return new FirnError("follow-network", `the store cannot be continued: ${reason}; ${remedy}`);
}
