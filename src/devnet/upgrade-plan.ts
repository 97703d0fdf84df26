/**
 * Parses `--upgrades` into activation times: first the upgrade to start in, then upgrades with times. A devnet builds blocks from Cortina
 * on, so everything up to Cortina is active in the genesis.
 */

import { FirnError } from "../base/errors/errors.ts";
import { formatTime } from "../network/go-time.ts";
import { UPGRADE_NAMES, type UpgradeName, type Upgrades } from "../network/network.ts";
import { UNSCHEDULED } from "../network/presets.ts";
import { parseMoment, parsePeriod } from "./period.ts";

type Times = Upgrades["times"];

export interface Era {
  readonly genesisTime: bigint;
  /** the clock's time at the first start; `+10m` counts from here */
  readonly startTime: bigint;
}

/** 2020-12-05 05:00 UTC, which the reference node reports for upgrades active from the start; the genesis time if that is earlier. */
const FROM_THE_START = 1_607_144_400n;
const FIRST_ERA = UPGRADE_NAMES.indexOf("cortina");
const ERAS = UPGRADE_NAMES.slice(FIRST_ERA);
const EXAMPLE = "etna,fortuna=+10m,granite=2026-12-01T00:00:00Z";

/** @param given times from a network.json, which the plan replaces */
export function upgradeTimes(plan: string | undefined, given: Times | undefined, era: Era): Times {
  const times = plan === undefined ? (given ?? allActive(era)) : plannedTimes(plan, era);
  refuseBeforeCortina(times, era);
  return times;
}

function fromTheStart({ genesisTime }: Era): bigint {
  return genesisTime < FROM_THE_START ? genesisTime : FROM_THE_START;
}

function allActive(era: Era): Times {
  return Object.fromEntries(UPGRADE_NAMES.map((name) => [name, fromTheStart(era)])) as Times;
}

function plannedTimes(plan: string, era: Era): Times {
  const [first = "", ...scheduled] = plan.split(",").map((part) => part.trim());
  if (first.includes("=")) {
    throw refusal(`begins with ${JSON.stringify(first)}; begin with the era to start in, as in ${EXAMPLE}`);
  }
  const start = indexOf(first);
  const times = UPGRADE_NAMES.map((_, index) => (index <= start ? fromTheStart(era) : UNSCHEDULED));
  let last = start;
  for (const part of scheduled) {
    const [name = "", when, ...rest] = part.split("=");
    if (when === undefined || rest.length > 0) throw refusal(`has ${JSON.stringify(part)}; say when, as in ${name || "granite"}=+10m`);
    const index = indexOf(name);
    if (index !== last + 1) throw outOfOrder(name, last, index);
    times[index] = timeOf(name, when, era);
    if (times[index]! < times[last]!) {
      throw refusal(
        `has ${name} at ${formatTime(times[index]!)}, before ${UPGRADE_NAMES[last]} at ${formatTime(times[last]!)}; give times in order`,
      );
    }
    last = index;
  }
  return Object.fromEntries(UPGRADE_NAMES.map((name, index) => [name, times[index]])) as Times;
}

function indexOf(name: string): number {
  const index = UPGRADE_NAMES.indexOf(name as UpgradeName);
  if (index === -1) throw refusal(`names ${JSON.stringify(name)}; the upgrades are ${ERAS.join(", ")}`);
  if (index < FIRST_ERA) throw refusal(`names ${name}, which is before cortina; a devnet starts in ${ERAS.join(", ")}`);
  return index;
}

function outOfOrder(name: string, last: number, index: number): FirnError {
  const next = UPGRADE_NAMES[last + 1];
  if (index <= last || next === undefined) {
    return refusal(`has ${name} after ${UPGRADE_NAMES[last]}; the order is ${ERAS.join(", ")}`);
  }
  return refusal(`has ${name} right after ${UPGRADE_NAMES[last]}; ${next} comes between them, so give it a time too, as in ${next}=+10m`);
}

function timeOf(name: string, when: string, { startTime }: Era): bigint {
  try {
    return when.startsWith("+") ? startTime + parsePeriod(when.slice(1)) : parseMoment(when);
  } catch (error) {
    if (!(error instanceof FirnError)) throw error;
    throw refusal(`has ${name}=${when}; use a period from the start on such as +10m, or a time such as 2026-12-01T00:00:00Z`);
  }
}

/** Checks also the times that come from a network.json. */
function refuseBeforeCortina(times: Times, { genesisTime }: Era): void {
  if (times.cortina <= genesisTime) return;
  throw new FirnError(
    "devnet-network",
    `cortina is at ${formatTime(times.cortina)}, after the genesis at ${formatTime(genesisTime)}; a devnet starts in ${ERAS.join(", ")}: set cortinaTime and all before it to the genesis or earlier, or use --upgrades`,
  );
}

function refusal(problem: string): FirnError {
  return new FirnError("devnet-upgrades", `--upgrades ${problem}`);
}
