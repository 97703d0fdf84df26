/** Renders the JSON of blocks and transactions. They never change, so the result is kept. */

import type { Id } from "../../base/bytes/id.ts";
import { BoundedCache } from "../../base/collections/bounded-cache.ts";
import { escapeHtml, RawJson } from "../../base/json/go-encode.ts";
import { keptAnswers } from "../../base/kept-answers.ts";

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
