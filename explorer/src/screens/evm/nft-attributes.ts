/** The attributes of an NFT, from JSON that anybody may have written. */

export interface NftAttribute {
  readonly key: string;
  readonly name: string;
  readonly value: string;
}

const MOST = 1000;

/** Reads `[{ "trait_type": …, "value": … }]` as marketplaces write it, and `{ name: value }` as ERC-1155 has it. Other JSON has no attributes. */
export function attributesOf(json: string | undefined): readonly NftAttribute[] {
  if (json === undefined) return [];
  let read: unknown;
  try {
    read = JSON.parse(json);
  } catch {
    return [];
  }
  if (typeof read !== "object" || read === null) return [];
  const pairs: [name: unknown, value: unknown][] = Array.isArray(read)
    ? read.slice(0, MOST).map((item) => (isObject(item) ? [item.trait_type ?? item.name ?? "", item.value] : ["", item]))
    : Object.entries(read)
        .slice(0, MOST)
        .map(([name, value]) => [name, isObject(value) && "value" in value ? value.value : value]);
  return pairs.map(([name, value], i) => ({ key: `${i}`, name: shown(name), value: shown(value) }));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function shown(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}
