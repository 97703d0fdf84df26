/** Renders the JSON of blocks and transactions. They never change, so the result is kept. */

import { escapeHtml } from "../go-json/encode.ts";
import { RawJson } from "../go-json/raw-json.ts";
import { keptAnswers } from "../limits/kept-answers.ts";
import { BoundedCache } from "../primitives/bounded-cache.ts";
import type { Id } from "../primitives/id.ts";

const rendered = new BoundedCache<Uint8Array>(keptAnswers, ({ length }) => length);

/** @param prefix of the addresses in the JSON, which may differ for the same ID */
export function renderOnce(id: Id, prefix: string, render: () => string): RawJson {
  const key = `${id} ${prefix}`;
  let json = rendered.get(key);
  if (json === undefined) {
    json = Buffer.from(escapeHtml(render()), "utf8");
    rendered.set(key, json);
  }
  return new RawJson(json);
}
