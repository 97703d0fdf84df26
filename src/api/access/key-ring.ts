/** A server's copy of the API keys in a data directory. It is reloaded soon after the file changes. */
import { statSync } from "node:fs";
import { type ApiKey, hashOfKey, keyFilePath, readKeyFile } from "./key-file.ts";

/** A revoked key may keep working for this long. */
const LOOK_EVERY_MS = 1_000;

interface KeyRingOptions {
  readonly dataDirectory: string;
  /** returns milliseconds */
  readonly now: () => number;
  /** called if the file cannot be read; the keys then stay as they were */
  readonly onProblem: (error: unknown) => void;
}

export class KeyRing {
  readonly #options: KeyRingOptions;
  #keys: ReadonlyMap<string, ApiKey> = new Map();
  #salt = "";
  #version = "";
  #lookedAt: number;

  /** Throws if the file is damaged: a server must not start without the keys it should know. */
  constructor(options: KeyRingOptions) {
    this.#options = options;
    this.#lookedAt = options.now();
    this.#version = this.#fileVersion();
    this.#read();
  }

  /** Whether no key was ever created, so that none can be required. */
  get isEmpty(): boolean {
    this.#look();
    return this.#keys.size === 0;
  }

  /** A new key works at once, in every process that serves: the file is looked at before a key counts as unknown. */
  find(key: string): ApiKey | undefined {
    this.#look();
    const known = this.#keys.get(hashOfKey(key, this.#salt));
    if (known !== undefined) return known;
    this.#look(0);
    return this.#keys.get(hashOfKey(key, this.#salt));
  }

  #look(every = LOOK_EVERY_MS): void {
    const now = this.#options.now();
    if (now - this.#lookedAt < every) return;
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

  /** A new inode marks every change of the file; its ctime also shows changes of its permissions. */
  #fileVersion(): string {
    const stat = statSync(keyFilePath(this.#options.dataDirectory), { bigint: true, throwIfNoEntry: false });
    return stat === undefined ? "" : `${stat.ino} ${stat.ctimeNs} ${stat.size}`;
  }
}
