/**
 * Reads the JSON that a token URI leads to: of what strangers wrote, the members that the Data API shows (data-api 4.9), each checked and
 * bounded. A member that is of another type, or too long, is left out; the rest is kept.
 */
import { decodeUtf8 } from "../tokens/abi.ts";
import type { NftStatus } from "./nft-status.ts";

export interface NftMetadata {
  readonly name?: string;
  readonly symbol?: string;
  readonly description?: string;
  readonly imageUri?: string;
  readonly animationUri?: string;
  readonly externalUrl?: string;
  readonly background?: string;
  /** ERC-721: JSON */
  readonly attributes?: string;
  /** ERC-1155 */
  readonly decimals?: number;
  /** ERC-1155: JSON */
  readonly properties?: string;
}

/** names in the file, first found; longest text in characters */
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
  if (isErc721) addJson(metadata, "attributes", ownMember(members, "attributes") ?? ownMember(members, "traits"));
  else {
    addJson(metadata, "properties", ownMember(members, "properties"));
    const decimals = ownMember(members, "decimals");
    if (Number.isInteger(decimals) && Number(decimals) >= 0 && Number(decimals) <= MAX_DECIMALS) metadata.decimals = Number(decimals);
  }
  return { metadata };
}

/** A file may start with a byte order mark. Nesting that exhausts the stack is an error like others. */
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

function addJson(metadata: Record<string, string | number>, name: "attributes" | "properties", value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  const json = JSON.stringify(value);
  if (json.length <= MAX_JSON) metadata[name] = json;
}
