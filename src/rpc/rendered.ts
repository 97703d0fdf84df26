/** JSON of blocks and transactions. They never change, so what was rendered is kept, up to a bound. */
import type { Id } from "../primitives/id.ts";
import { BoundedCache } from "./bounded-cache.ts";
import { escapeHtml } from "./go-json-encode.ts";
import { RawJson } from "./raw-json.ts";

const MAX_BYTES = 32 * 1024 * 1024;
const rendered = new BoundedCache<Uint8Array>(MAX_BYTES, ({ length }) => length);

/** @param prefix of the addresses, which the JSON shows besides what the ID stands for */
export function renderOnce(id: Id, prefix: string, render: () => string): RawJson {
  const key = `${id} ${prefix}`;
  let json = rendered.get(key);
  if (json === undefined) {
    json = Buffer.from(escapeHtml(render()), "utf8");
    rendered.set(key, json);
  }
  return new RawJson(json);
}
