/** JSON that is already rendered: an answer, or a part of one, that is written as it is. Go's HTML escaping must be done in it. */
export class RawJson {
  readonly json: string | Uint8Array;

  constructor(json: string | Uint8Array) {
    this.json = json;
  }
}

/**
 * What handlers return. `bigint` becomes plain digits, so a u64 that the API shows as a string is given as a string.
 * Members keep their order (a map sorted by key is the handler's business); undefined members are left out, undefined elements are null.
 */
export type JsonValue = RawJson | string | number | bigint | boolean | null | readonly JsonValue[] | JsonObject;
export type JsonObject = { readonly [name: string]: JsonValue | undefined };
