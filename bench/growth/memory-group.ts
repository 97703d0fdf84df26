/** A cgroup (version 1 or 2) whose processes have little memory. Needs to be created by a user who may, so mostly root. */
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";

const VERSION_1 = "/sys/fs/cgroup/memory";
const LOOK_AGAIN_MS = 20;

export class MemoryGroup {
  readonly #folder: string;
  readonly #isVersion1 = existsSync(VERSION_1);

  /** @param mib of memory that its processes have, page cache included */
  constructor(name: string, mib: number) {
    this.#folder = join(this.#isVersion1 ? VERSION_1 : "/sys/fs/cgroup", name);
    mkdirSync(this.#folder);
    writeFileSync(join(this.#folder, this.#isVersion1 ? "memory.limit_in_bytes" : "memory.max"), `${mib * 2 ** 20}`);
  }

  /** The command that runs another one inside the group. */
  command(args: readonly string[]): readonly [string, string[]] {
    return ["sh", ["-c", 'echo $$ > "$0" && exec "$@"', this.#procs, ...args]];
  }

  /** Once its processes have ended. */
  async remove(): Promise<void> {
    while (readFileSync(this.#procs, "utf8") !== "") await setTimeout(LOOK_AGAIN_MS);
    rmdirSync(this.#folder);
  }

  get #procs(): string {
    return join(this.#folder, "cgroup.procs");
  }
}
