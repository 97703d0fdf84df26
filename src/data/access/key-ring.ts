/** The keys of a data directory as a server knows them: read again soon after they changed. */
import { statSync } from "node:fs";
import { type ApiKey, hashOfKey, keyFilePath, readKeyFile } from "./key-file.ts";

/** For so long a revoked key may still work. */
const LOOK_EVERY_MS = 1_000;

export interface KeyRingOptions {
  readonly dataDirectory: string;
  /** milliseconds */
  readonly now: () => number;
  /** told of a file that cannot be read; the keys stay as they were */
  readonly onProblem: (error: unknown) => void;
}

export class KeyRing {
  readonly #options: KeyRingOptions;
  #keys: ReadonlyMap<string, ApiKey> = new Map();
  #salt = "";
  #version = "";
  #lookedAt: number;

  /** Throws if the file is damaged: a server must not start without the keys that it should know. */
  constructor(options: KeyRingOptions) {
    this.#options = options;
    this.#lookedAt = options.now();
    this.#version = this.#fileVersion();
    this.#read();
  }

  /** No key was ever made, so none can be asked for. */
  get isEmpty(): boolean {
    this.#look();
    return this.#keys.size === 0;
  }

  find(key: string): ApiKey | undefined {
    this.#look();
    return this.#keys.get(hashOfKey(key, this.#salt));
  }

  #look(): void {
    const now = this.#options.now();
    if (now - this.#lookedAt < LOOK_EVERY_MS) return;
    this.#lookedAt = now;
    try {
      const version = this.#fileVersion();
      if (version === this.#version) return;
      this.#version = version;
      this.#read();
    } catch (error) {
      this.#options.onProblem(error);
    }
  }

  #read(): void {
    const { salt, keys } = readKeyFile(this.#options.dataDirectory);
    this.#salt = salt;
    this.#keys = new Map(keys.map((key) => [key.hash, key]));
  }

  /** Every change puts another file in its place; who may read it can change too, which the time of its status tells. */
  #fileVersion(): string {
    const stat = statSync(keyFilePath(this.#options.dataDirectory), { bigint: true, throwIfNoEntry: false });
    return stat === undefined ? "" : `${stat.ino} ${stat.ctimeNs} ${stat.size}`;
  }
}
