/** Heights and lags as the headers of the newest answer said them: `Firn-Height-P`, `Firn-Seconds-Behind-P` and so on. */
import { useSyncExternalStore } from "preact/compat";

/** How far each chain's index is behind its source, in seconds, by alias or EVM chain ID. */
export type Lags = ReadonlyMap<string, number>;

const HEADER = "firn-seconds-behind-";
let lags: Lags = new Map();
const listeners = new Set<() => void>();

export function heardFrom(headers: Headers): void {
  const next = new Map<string, number>();
  headers.forEach((value, name) => {
    if (name.startsWith(HEADER)) next.set(name.slice(HEADER.length).toUpperCase(), Number(value));
  });
  if (next.size === 0 || isSame(next)) return;
  lags = next;
  for (const listener of listeners) listener();
}

function isSame(next: Lags): boolean {
  return next.size === lags.size && [...next].every(([name, value]) => lags.get(name) === value);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function useLags(): Lags {
  return useSyncExternalStore(subscribe, () => lags);
}
