/** JSON that is already rendered: an answer, or a part of one, which is written unchanged. It must already have Go's HTML escaping. */
export class RawJson {
  readonly json: string | Uint8Array;

  constructor(json: string | Uint8Array) {
    this.json = json;
  }
}

/**
 * What handlers return. `bigint` becomes plain digits, so a u64 that the API shows as a string must be a string. Members keep their order,
 * so handlers sort maps themselves; undefined members are left out, and undefined elements are null.
 */
export type JsonValue = RawJson | string | number | bigint | boolean | null | readonly JsonValue[] | JsonObject;
export type JsonObject = { readonly [name: string]: JsonValue | undefined };
