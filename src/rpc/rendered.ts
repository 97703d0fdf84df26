/** Renders the JSON of blocks and transactions. They never change, so the result is kept. */

import { escapeHtml } from "../go-json/encode.ts";
import { RawJson } from "../go-json/raw-json.ts";
import { keptAnswers } from "../limits/kept-answers.ts";
import { BoundedCache } from "../primitives/bounded-cache.ts";
import type { Id } from "../primitives/id.ts";

const rendered = new BoundedCache<Uint8Array>(keptAnswers, ({ length }) => length);

/** @param prefix of the addresses in the JSON, which may differ for the same ID */
export function renderOnce(id: Id, prefix: string, render: () => string): RawJson {
  return kept(id, prefix) ?? keep(id, prefix, render());
}

/** The same of something whose bytes are read only if it was not rendered before. */
export async function readAndRenderOnce(id: Id, prefix: string, render: () => Promise<string>): Promise<RawJson> {
  return kept(id, prefix) ?? keep(id, prefix, await render());
}

function kept(id: Id, prefix: string): RawJson | undefined {
  const json = rendered.get(nameOf(id, prefix));
  return json && new RawJson(json);
}

function keep(id: Id, prefix: string, text: string): RawJson {
  const json = Buffer.from(escapeHtml(text), "utf8");
  rendered.set(nameOf(id, prefix), json);
  return new RawJson(json);
}

function nameOf(id: Id, prefix: string): string {
  return `${id} ${prefix}`;
}
