/** Times: how long ago or ahead, and in UTC. "Now" is the network's, which on a devnet may be ahead of this machine's. */
import { useSyncExternalStore } from "preact/compat";

const TICK_MS = 5000;
const listeners = new Set<() => void>();
let offsetSeconds = 0;
let now = networkNow();
let isStopped = false;

function networkNow(): number {
  return Math.floor(Date.now() / 1000) + offsetSeconds;
}

setInterval(() => {
  if (isStopped) return;
  now = networkNow();
  for (const listener of listeners) listener();
}, TICK_MS);

/** @param seconds how far the network's clock is ahead of this machine's */
export function setClockOffset(seconds: number): void {
  if (seconds === offsetSeconds) return;
  offsetSeconds = seconds;
  now = networkNow();
  for (const listener of listeners) listener();
}

/** While the server does not answer, nobody knows what time it is there. */
export function stopClock(isToStop: boolean): void {
  isStopped = isToStop;
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Unix seconds of the network's clock; renders again every few seconds. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now);
}

const UNITS = [
  ["y", 31_536_000],
  ["d", 86_400],
  ["h", 3600],
  ["min", 60],
  ["s", 1],
] as const;

/** A span as its two largest units: `2 d 4 h`. */
export function duration(seconds: number): string {
  let rest = Math.abs(Math.trunc(seconds));
  const parts: string[] = [];
  for (const [name, length] of UNITS) {
    if (rest >= length && parts.length < 2) parts.push(`${Math.floor(rest / length)} ${name}`);
    else if (parts.length > 0) break;
    rest %= length;
  }
  return parts.length === 0 ? "0 s" : parts.join(" ");
}

/** `2026-11-23 10:04:05 UTC`; beyond what a date can be, the seconds. */
export function utc(seconds: number | bigint): string {
  const date = new Date(Number(seconds) * 1000);
  if (Number.isNaN(date.getTime())) return `${seconds} s after 1970`;
  return date
    .toISOString()
    .replace("T", " ")
    .replace(/\.\d+Z$/, " UTC");
}

/** @param seconds Unix seconds */
export function Time({ seconds }: { readonly seconds: number | string | bigint }) {
  const at = Number(seconds);
  const past = useNow() - at;
  const relative = Math.abs(past) < 1 ? "now" : past > 0 ? `${duration(past)} ago` : `in ${duration(past)}`;
  const date = new Date(at * 1000);
  const absolute = utc(Number.isSafeInteger(at) ? at : BigInt(seconds));
  return (
    <time class="time" dateTime={Number.isNaN(date.getTime()) ? undefined : date.toISOString()} title={absolute}>
      <span class="relative">{relative}</span> <span class="utc">{absolute}</span>
    </time>
  );
}

/** A date for a sentence: `12 Jan 2027`, with the whole time as its tooltip, or beside it. In UTC. */
export function Day({ seconds, isWithTime = false }: { readonly seconds: number | string; readonly isWithTime?: boolean }) {
  const date = new Date(Number(seconds) * 1000);
  if (isWithTime || Number.isNaN(date.getTime())) return <>{utc(Number(seconds))}</>;
  const [, day, month, year] = date.toUTCString().split(" ");
  return (
    <time dateTime={date.toISOString()} title={utc(Number(seconds))}>
      {Number(day)} {month} {year}
    </time>
  );
}
