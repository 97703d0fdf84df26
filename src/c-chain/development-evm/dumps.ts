/**
 * Stores dumps of the child's state as `<height>-<block ID>.json.gz`. A dump is written to a temporary file and then renamed, so every dump
 * is complete; a checksum detects later damage. Dumps are optional: without one, the child is rebuilt from genesis.
 */
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import type { Id } from "../../primitives/id.ts";

const KEPT = 3;
const NAME = /^(\d+)-([0-9a-f]{64})\.json\.gz$/;
const LOADED = "loading.json";

export interface Dump {
  readonly height: bigint;
  readonly blockId: Id;
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
      const [, height, blockId] = NAME.exec(name) ?? [];
      if (height !== undefined) dumps.push({ height: BigInt(height), blockId: blockId!, file: join(this.#directory, name) });
    }
    return dumps.sort((a, b) => (a.height < b.height ? 1 : -1));
  }

  /** @param compressed gzip, as the child returns it */
  async write(height: bigint, blockId: Id, compressed: Uint8Array): Promise<void> {
    const file = join(this.#directory, `${height}-${blockId}.json.gz`);
    await mkdir(this.#directory, { recursive: true });
    await writeFile(`${file}.tmp`, compressed, { flush: true });
    await rename(`${file}.tmp`, file);
    for (const old of (await this.list()).slice(KEPT)) await this.remove(old);
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
