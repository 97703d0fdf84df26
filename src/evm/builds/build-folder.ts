/**
 * The build files of a server: a folder below its data directory. Its operator puts files there, and Firn those that it accepts. Whoever asks
 * for the source of a contract is answered from the file whose code the contract has. All processes of a server read the same folder, again
 * when it changed.
 */
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { sha256Hex } from "../../base/bytes/hash.ts";
import { Recent } from "../../base/collections/bounded-cache.ts";
import { FirnError } from "../../base/errors/errors.ts";
import { makeDirectory } from "../../base/files/make-directory.ts";
import { problemOf } from "../../base/files/problem.ts";
import { isMissing, readWholeFile } from "../../base/files/read-file.ts";
import { replaceFile } from "../../base/files/replace-file.ts";
import { type Build, type BuildDetails, type CodeRange, parseBuildFile, readBuilds } from "./build-file.ts";
import { abiOf, bodyHash, bodyLength, type Match, matchOf } from "./match.ts";

export interface FoundBuild extends Pick<Build, "contractName" | "sourcePath">, BuildDetails {
  readonly match: Match;
}

/** Without the rest of its file. */
function found({ contractName, sourcePath, metadata, details }: Build, match: Match): FoundBuild {
  const known = details();
  return { contractName, sourcePath, ...known, abi: abiOf(known, { metadata }, match), match };
}

export interface FolderLimits {
  readonly files: number;
  /** of one file */
  readonly fileBytes: number;
  /** of all */
  readonly bytes: number;
}

const MIB = 1 << 20;
export const FOLDER_LIMITS: FolderLimits = { files: 2000, fileBytes: 64 * MIB, bytes: 512 * MIB };

/** The remembered part of a build; its file has the rest. */
interface Entry {
  readonly file: string;
  /** its position in the file */
  readonly position: number;
  readonly hash: string;
  readonly unknown: readonly CodeRange[];
}

interface Index {
  /** of the files that were read */
  readonly signature: string;
  readonly bytes: number;
  readonly files: number;
  /** by the length of the code */
  readonly entries: ReadonlyMap<number, readonly Entry[]>;
}

const EMPTY: Index = { signature: "", bytes: 0, files: 0, entries: new Map() };
/** that are remembered whole: who looks at a contract asks for it again */
const MOST_REMEMBERED = 32;

export class BuildFolder {
  readonly #path: string;
  readonly #limits: FolderLimits;
  readonly #onProblem: (message: string) => void;
  #found = new Recent<string, FoundBuild>(MOST_REMEMBERED);
  #index: Promise<Index> = Promise.resolve(EMPTY);

  /** @param onProblem gets a sentence about each file that is passed over */
  constructor(path: string, onProblem: (message: string) => void, limits: FolderLimits = FOLDER_LIMITS) {
    this.#path = path;
    this.#limits = limits;
    this.#onProblem = onProblem;
  }

  /** The build whose code this is; one that the code proves before one that it does not. */
  async find(code: Buffer): Promise<FoundBuild | undefined> {
    if (code.length === 0) return undefined;
    const { entries } = await this.#current();
    let best: FoundBuild | undefined;
    for (const entry of entries.get(bodyLength(code)) ?? []) {
      if (bodyHash(code, entry.unknown) !== entry.hash) continue;
      const match = this.#matchOf(entry, code);
      if (match?.match === "full") return match;
      best ??= match;
    }
    return best;
  }

  /**
   * Keeps a build file, if it has the contract with this code, in place of an earlier one that the code does not prove. Throws a FirnError that
   * says what was wrong.
   * @param text of the file
   * @param accepts which files: all, or those whose sources and ABI the code proves
   */
  async add(text: string, code: Buffer, accepts: "all" | "proven"): Promise<FoundBuild> {
    const builds = readBuilds(parseBuildFile(text, "the build file"));
    const matches = builds.flatMap((build) => {
      const match = matchOf(code, build);
      return match === undefined ? [] : [{ build, match }];
    });
    const best = matches.find(({ match }) => match === "full") ?? matches[0];
    if (best === undefined) throw mismatch(code, builds);
    if (accepts === "proven" && best.match !== "full") throw unproven();
    const known = await this.find(code);
    if (known?.match === "full") return known;
    await this.#requireRoom(Buffer.byteLength(text));
    makeDirectory(this.#path);
    await replaceFile(join(this.#path, `${bodyHash(code, best.build.unknown)}.json`), text);
    return found(best.build, best.match);
  }

  async #requireRoom(length: number): Promise<void> {
    const { files, bytes } = await this.#current();
    const { files: most, fileBytes, bytes: mostBytes } = this.#limits;
    if (files < most && length <= fileBytes && bytes + length <= mostBytes) return;
    throw new FirnError(
      "build-folder-full",
      `the server keeps at most ${most} build files of ${mostBytes / MIB} MiB together; its operator can remove some from ${this.#path}`,
      { limit: "builds" },
    );
  }

  /** As it is now: what was read is kept until the folder changes. */
  #current(): Promise<Index> {
    const before = this.#index;
    this.#index = before.then(
      (index) => this.#readAgain(index),
      () => this.#readAgain(EMPTY),
    );
    return this.#index;
  }

  async #readAgain(known: Index): Promise<Index> {
    const { names, files, signature } = await this.#list();
    if (signature === known.signature) return known;
    this.#found = new Recent(MOST_REMEMBERED);
    const { files: most, bytes: mostBytes } = this.#limits;
    if (names > most) this.#onProblem(`${this.#path} has more than ${most} build files; the others are passed over`);
    const entries = new Map<number, Entry[]>();
    let bytes = 0;
    for (const { name, size } of files) {
      bytes += size;
      if (bytes > mostBytes) {
        this.#onProblem(`the build files in ${this.#path} have more than ${mostBytes / MIB} MiB; those from ${name} on are passed over`);
        break;
      }
      this.#addEntries(name, entries);
    }
    return { signature, bytes, files: files.length, entries };
  }

  /** The files, and a text that differs whenever one of them does. */
  async #list() {
    const found = await readdir(this.#path).catch((error: unknown) => {
      if (isMissing(error)) return [];
      throw new FirnError("folder", `${this.#path} cannot be read: ${problemOf(error) ?? (error as Error).message}; make it a folder`, {});
    });
    const names = found.filter((name) => name.endsWith(".json")).sort();
    const files: { readonly name: string; readonly size: number; readonly changedMs: number }[] = [];
    for (const name of names.slice(0, this.#limits.files)) {
      const stats = await stat(join(this.#path, name)).catch(() => undefined);
      if (stats !== undefined) files.push({ name, size: stats.size, changedMs: stats.mtimeMs });
    }
    return { names: names.length, files, signature: JSON.stringify([names.length, files]) };
  }

  #addEntries(name: string, entries: Map<number, Entry[]>): void {
    try {
      for (const [position, { code, unknown }] of this.#read(name).entries()) {
        const length = bodyLength(code);
        const ofLength = entries.get(length) ?? [];
        ofLength.push({ file: name, position, hash: bodyHash(code, []), unknown });
        entries.set(length, ofLength);
      }
    } catch (error) {
      if (!(error instanceof FirnError)) throw error;
      this.#onProblem(`the build file ${name} in ${this.#path} is passed over: ${error.message}`);
    }
  }

  /** undefined: the file is another one by now */
  #matchOf({ file, position }: Entry, code: Buffer): FoundBuild | undefined {
    const name = `${file} ${position} ${sha256Hex(code)}`;
    let known = this.#found.get(name);
    if (known === undefined) {
      const build = this.#read(file)[position];
      const match = build && matchOf(code, build);
      if (build === undefined || match === undefined) return undefined;
      known = found(build, match);
      this.#found.set(name, known);
    }
    return known;
  }

  #read(name: string): Build[] {
    return readBuilds(parseBuildFile(readWholeFile(join(this.#path, name), this.#limits.fileBytes).toString(), name));
  }
}

function unproven(): FirnError {
  return new FirnError(
    "build-unproven",
    "the contract's code does not prove the ABI and the sources of the build file; send a build-info file with the compiler's metadata and all sources, or ask the server's operator to put the file into its folder builds",
    {},
  );
}

/** Names what is nearest, since builds differ by settings as well as by sources. */
function mismatch(code: Buffer, builds: readonly Build[]): FirnError {
  const lengths = builds.map(({ contractName, code: { length } }) => `${contractName || "a contract"} (${length} bytes)`);
  const shown = lengths.slice(0, 5).join(", ") + (lengths.length > 5 ? ` and ${lengths.length - 5} more` : "");
  const has = builds.length === 0 ? "no contract with code" : shown;
  return new FirnError(
    "build-mismatch",
    `the contract's code (${code.length} bytes) is not that of the build file, which has ${has}; use the build that was deployed, with the same compiler and settings`,
    { codeBytes: code.length },
  );
}
