/** Memory of a process and its descendants, from /proc (Linux). */
import { readdirSync, readFileSync } from "node:fs";

/** Bytes without pages of mapped files, which the system takes back when it needs them: the store. */
export function anonymousBytes(root: number): number {
  return treeOf(root).reduce((sum, pid) => sum + anonymousBytesOf(pid), 0);
}

export function treeOf(root: number): number[] {
  const children = new Map<number, number[]>();
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    // the name in brackets may hold anything; the parent is the second field after it
    const parent = Number(textOf(`/proc/${name}/stat`).split(") ").at(-1)?.split(" ")[1]);
    children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
  }
  const below = (pid: number): number[] => [pid, ...(children.get(pid) ?? []).flatMap(below)];
  return below(root);
}

function anonymousBytesOf(pid: number): number {
  const status = textOf(`/proc/${pid}/status`);
  const field = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? 0);
  return (field("RssAnon") + field("RssShmem")) * 1024;
}

/** Empty when the process has ended meanwhile. */
function textOf(file: string): string {
  try {
    return readFileSync(file, "latin1");
  } catch {
    return "";
  }
}

const SAMPLE_EVERY_MS = 50;

export class MemorySampling {
  #peak = 0;
  readonly #timer: NodeJS.Timeout;

  /** @param onSample is told of each sample, in bytes */
  constructor(root: number, onSample: (bytes: number) => void = () => {}) {
    this.#timer = setInterval(() => {
      const bytes = anonymousBytes(root);
      this.#peak = Math.max(this.#peak, bytes);
      onSample(bytes);
    }, SAMPLE_EVERY_MS);
  }

  get peak(): number {
    return this.#peak;
  }

  end(): void {
    clearInterval(this.#timer);
  }
}
