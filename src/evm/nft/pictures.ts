/**
 * Pictures that the metadata of NFTs names. Strangers write the URIs, and clients choose which are asked for. So few are fetched at a time,
 * few from one host in a minute, all with the care of `fetcher.ts`; requests for one picture share a fetch, and what was fetched or refused
 * is remembered for a while. Memory is bounded.
 */
import { BoundedCache, CacheSpace } from "../../base/collections/bounded-cache.ts";
import { type Internet, internet } from "../../base/pinned-address.ts";
import type { NftFetchSettings } from "../chain-settings.ts";
import { readDataUri } from "./data-uri.ts";
import { fetchTarget } from "./fetch-target.ts";
import { openNftFetcher } from "./fetcher.ts";
import type { NftStatus } from "./nft-status.ts";
import { type PictureType, pictureType } from "./picture-type.ts";

export type Picture = { readonly contentType: PictureType; readonly content: Buffer };
/** `BUSY`: too much is asked for at the moment. `NO_PICTURE`: the content is something else. */
export type PictureProblem = NftStatus | "NO_PICTURE" | "BUSY";
export type Pictured = Picture | { readonly problem: PictureProblem };

export const MAX_PICTURE_BYTES = 1 << 20;

type PictureLimit =
  | "cacheBytes"
  | "running"
  | "waiting"
  | "perHostAndMinute"
  | "perMinute"
  | "timeoutMs"
  | "picturesForMs"
  | "problemsForMs";

/** Together they bound memory and what this server does to others. Times in milliseconds. */
export const PICTURE_LIMITS: Readonly<Record<PictureLimit, number>> = {
  cacheBytes: 32 << 20,
  /** fetches at a time */
  running: 4,
  /** fetches that wait for one of these to end */
  waiting: 32,
  perHostAndMinute: 30,
  perMinute: 300,
  timeoutMs: 10_000,
  picturesForMs: 3_600_000,
  problemsForMs: 600_000,
};

const MINUTE_MS = 60_000;

interface PictureSurroundings {
  readonly on: Internet;
  readonly now: () => number;
  readonly limits: typeof PICTURE_LIMITS;
}

interface Kept {
  readonly pictured: Pictured;
  /** milliseconds */
  readonly until: number;
}

export class Pictures {
  readonly #internet: Internet;
  readonly #now: () => number;
  readonly #limits: typeof PICTURE_LIMITS;
  readonly #kept: BoundedCache<Kept>;
  readonly #fetching = new Map<string, Promise<Pictured>>();
  readonly #waiting: (() => void)[] = [];
  #running = 0;
  /** fetches of the current minute by host */
  #minute = { number: Number.NaN, hosts: new Map<string, number>(), fetches: 0 };

  /** The defaults change in tests only. */
  constructor({ on = internet, now = Date.now, limits = PICTURE_LIMITS }: Partial<PictureSurroundings> = {}) {
    this.#internet = on;
    this.#now = now;
    this.#limits = limits;
    const size = ({ pictured }: Kept) => ("content" in pictured ? pictured.content.length : 0);
    this.#kept = new BoundedCache(new CacheSpace(limits.cacheBytes), size);
  }

  /** Never rejects. @param uri with `{id}` replaced */
  async get(uri: string, settings: NftFetchSettings): Promise<Pictured> {
    const content = readDataUri(uri);
    if (content !== undefined) return pictureOf(content);
    if (!settings.fetches) return { problem: "UNINDEXED" };
    const target = fetchTarget(uri, settings);
    if ("status" in target) return { problem: target.status };
    // only the gateway may be a private server, so the same URL written by a stranger is another one
    const name = `${target.isGateway ? "gateway" : "web"} ${target.url.href}`;
    const kept = this.#kept.get(name);
    if (kept !== undefined && kept.until > this.#now()) return kept.pictured;
    const fetching = this.#fetching.get(name);
    if (fetching !== undefined) return fetching;
    if (this.#isBusy(target)) return { problem: "BUSY" };
    const fetched = this.#fetch(uri, settings).then((pictured) => this.#keep(name, pictured));
    this.#fetching.set(name, fetched);
    return fetched;
  }

  #keep(name: string, pictured: Pictured): Pictured {
    const keptMs = "problem" in pictured ? this.#limits.problemsForMs : this.#limits.picturesForMs;
    this.#kept.set(name, { pictured, until: this.#now() + keptMs });
    this.#fetching.delete(name);
    return pictured;
  }

  /** Counts the fetch if it may start. The operator's gateway is only in the sum. */
  #isBusy({ url, isGateway }: { readonly url: URL; readonly isGateway: boolean }): boolean {
    if (this.#running >= this.#limits.running && this.#waiting.length >= this.#limits.waiting) return true;
    const number = Math.floor(this.#now() / MINUTE_MS);
    if (this.#minute.number !== number) this.#minute = { number, hosts: new Map(), fetches: 0 };
    const { hosts, fetches } = this.#minute;
    const ofHost = hosts.get(url.hostname) ?? 0;
    if (fetches >= this.#limits.perMinute || (!isGateway && ofHost >= this.#limits.perHostAndMinute)) return true;
    this.#minute.fetches++;
    hosts.set(url.hostname, ofHost + 1);
    return false;
  }

  async #fetch(uri: string, settings: NftFetchSettings): Promise<Pictured> {
    if (this.#running >= this.#limits.running) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#running++;
    try {
      const timeoutMs = Math.min(settings.timeoutMs, this.#limits.timeoutMs);
      const fetcher = openNftFetcher({ ...settings, timeoutMs, maxBytes: MAX_PICTURE_BYTES }, this.#internet, "image/*");
      const fetched = await fetcher.fetch(uri, new AbortController().signal);
      return "status" in fetched ? { problem: fetched.status } : pictureOf(fetched.content);
    } finally {
      // the next one takes this one's place
      const next = this.#waiting.shift();
      if (next === undefined) this.#running--;
      else next();
    }
  }
}

function pictureOf(content: Buffer): Pictured {
  if (content.length > MAX_PICTURE_BYTES) return { problem: "METADATA_CONTENT_TOO_LARGE" };
  const contentType = pictureType(content);
  return contentType === undefined ? { problem: "NO_PICTURE" } : { contentType, content };
}
