/**
 * Reads the JSON of a token URI. Strangers write it, so only the members that the Data API shows are read (data-api 4.9), each checked and
 * bounded. A member with another type, or one that is too long, is left out; the rest is kept.
 */
import { randomBytes } from "node:crypto";
import { decodeUtf8 } from "../abi.ts";
import type { NftStatus } from "./nft-status.ts";

interface NftMetadata {
  readonly name?: string;
  readonly symbol?: string;
  readonly description?: string;
  readonly imageUri?: string;
  readonly animationUri?: string;
  readonly externalUrl?: string;
  readonly background?: string;
  /** JSON; ERC-721 only */
  readonly attributes?: string;
  /** ERC-1155 only */
  readonly decimals?: number;
  /** JSON; ERC-1155 only */
  readonly properties?: string;
}

/** name of the text, its names in the file (the first one found counts), most characters */
const TEXTS = [
  ["name", ["name"], 1024],
  ["symbol", ["symbol"], 256],
  ["description", ["description"], 16_384],
  ["imageUri", ["image", "image_url", "imageUri"], 65_536],
  ["animationUri", ["animation_url", "animationUri"], 65_536],
  ["externalUrl", ["external_url", "external_link"], 2048],
  ["background", ["background_color", "background"], 256],
] as const satisfies readonly (readonly [keyof NftMetadata, readonly string[], number])[];

const MAX_JSON = 65_536;
const MAX_DECIMALS = 255;

export function readNftMetadata(content: Buffer, { isErc721 }: { isErc721: boolean }): { metadata: NftMetadata } | { status: NftStatus } {
  const text = decodeUtf8(content);
  const parsed = text === undefined ? undefined : parseJson(text);
  if (parsed === undefined) return { status: "INVALID_METADATA_JSON" };
  const { value } = parsed;
  if (typeof value !== "object" || value === null || Array.isArray(value)) return { status: "INVALID_METADATA" };
  const members = value as Readonly<Record<string, unknown>>;
  const metadata: Record<string, string | number> = {};
  for (const [shown, names, maxLength] of TEXTS) {
    const found = names.map((name) => ownMember(members, name)).find((member) => typeof member === "string" && member !== "");
    if (typeof found === "string" && found.length <= maxLength) metadata[shown] = found;
  }
  const json = (name: string) => (ownMember(members, name) == null ? undefined : jsonOf(text!, name));
  if (isErc721) addJson(metadata, "attributes", json("attributes") ?? json("traits"));
  else {
    addJson(metadata, "properties", json("properties"));
    const decimals = ownMember(members, "decimals");
    if (Number.isInteger(decimals) && Number(decimals) >= 0 && Number(decimals) <= MAX_DECIMALS) metadata.decimals = Number(decimals);
  }
  return { metadata };
}

/** Removes a byte order mark. */
function parseJson(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text.replace(/^\ufeff/, "")) };
  } catch {
    return undefined;
  }
}

function ownMember(members: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(members, name) ? members[name] : undefined;
}

function addJson(metadata: Record<string, string | number>, name: "attributes" | "properties", json: string | undefined): void {
  if (json !== undefined && json.length <= MAX_JSON) metadata[name] = json;
}

const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/**
 * A member of valid JSON that is an object or a list, written again, with its numbers as they were written: they may be larger, or more exact,
 * than a number can be. undefined: it is something else, or nested too deeply to write: JSON.parse can read that, JSON.stringify overflows
 * the stack.
 */
function jsonOf(text: string, name: string): string | undefined {
  // nobody can have written it into a text
  const mark = randomBytes(16).toString("hex");
  const marked = text.replace(TOKEN, (token) => (token.startsWith('"') ? token : `"${mark}${token}"`));
  try {
    const value: unknown = ownMember(parseJson(marked)!.value as Readonly<Record<string, unknown>>, name);
    if (typeof value !== "object" || value === null) return undefined;
    return JSON.stringify(value).replaceAll(new RegExp(`"${mark}([^"]+)"`, "g"), "$1");
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
