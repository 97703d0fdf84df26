/**
 * Stores dumps of the child's state as `<height>-<block ID>.json.gz`, or `<height>+<edits>-<state's ID>.json.gz` if edits were made after that
 * block. A dump is written to a temporary file and then renamed, so every dump is complete; a checksum detects later damage. Dumps are
 * optional: without one, the child is rebuilt from genesis.
 */
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import type { EvmState } from "./evm-edits.ts";

const KEPT = 3;
const NAME = /^(\d+)(?:\+(\d+))?-([0-9a-f]{64})\.json\.gz$/;
const LOADED = "loading.json";

export interface Dump {
  readonly state: EvmState;
  readonly file: string;
}

export class Dumps {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Lists dumps, the newest first. */
  async list(): Promise<Dump[]> {
    await mkdir(this.#directory, { recursive: true });
    const dumps: Dump[] = [];
    for (const name of await readdir(this.#directory)) {
      const [, height, edits = "0", id] = NAME.exec(name) ?? [];
      if (height === undefined) continue;
      dumps.push({ state: { height: BigInt(height), edits: Number(edits), id: id! }, file: join(this.#directory, name) });
    }
    return dumps.sort((a, b) => newerFirst(a.state, b.state));
  }

  /** @param compressed gzip, as the child returns it */
  async write(state: EvmState, compressed: Uint8Array): Promise<Dump> {
    const { height, edits, id } = state;
    const file = join(this.#directory, `${height}${edits === 0 ? "" : `+${edits}`}-${id}.json.gz`);
    await mkdir(this.#directory, { recursive: true });
    await writeFile(`${file}.tmp`, compressed, { flush: true });
    await rename(`${file}.tmp`, file);
    for (const old of (await this.list()).slice(KEPT)) await this.remove(old);
    return { state, file };
  }

  /** Writes the file that a child can start from; returns undefined if the dump is damaged. */
  async unpack({ file }: Dump): Promise<string | undefined> {
    const unpacked = join(this.#directory, LOADED);
    try {
      await writeFile(unpacked, await promisify(gunzip)(await readFile(file)));
      return unpacked;
    } catch {
      return undefined;
    }
  }

  remove({ file }: Dump): Promise<void> {
    return rm(file, { force: true });
  }

  /** Removes files that only a start needs, and those of interrupted writes. */
  async tidy(): Promise<void> {
    for (const name of await readdir(this.#directory)) {
      if (name === LOADED || name.endsWith(".tmp")) await rm(join(this.#directory, name), { force: true });
    }
  }
}

function newerFirst(a: EvmState, b: EvmState): number {
  return a.height === b.height ? b.edits - a.edits : Number(b.height - a.height);
}
