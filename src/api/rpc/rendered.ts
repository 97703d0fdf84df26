/** Renders the JSON of blocks and transactions. They never change, so the result is kept. */

import type { Id } from "../../base/bytes/id.ts";
import { BoundedCache, type CacheSpace } from "../../base/collections/bounded-cache.ts";
import { escapeHtml, RawJson } from "../../base/json/go-encode.ts";
import { type Awaitable, andThen } from "../../base/work/awaitable.ts";
import type { RpcContext } from "./method.ts";

class Rendered {
  readonly #json: BoundedCache<Uint8Array>;

  constructor(space: CacheSpace) {
    this.#json = new BoundedCache(space, ({ length }) => length);
  }

  find(id: Id, prefix: string): RawJson | undefined {
    const json = this.#json.get(nameOf(id, prefix));
    return json && new RawJson(json);
  }

  keep(id: Id, prefix: string, text: string): RawJson {
    const json = Buffer.from(escapeHtml(text), "utf8");
    this.#json.set(nameOf(id, prefix), json);
    return new RawJson(json);
  }
}

/** @param prefix of the addresses in the JSON, which may differ for the same ID */
export function renderOnce({ kept }: RpcContext, id: Id, prefix: string, render: () => string): RawJson {
  const rendered = kept.of(Rendered);
  return rendered.find(id, prefix) ?? rendered.keep(id, prefix, render());
}

/** The same of something whose bytes are read only if it was not rendered before. */
export function readAndRenderOnce({ kept }: RpcContext, id: Id, prefix: string, render: () => Awaitable<string>): Awaitable<RawJson> {
  const rendered = kept.of(Rendered);
  return rendered.find(id, prefix) ?? andThen(render(), (text) => rendered.keep(id, prefix, text));
}

function nameOf(id: Id, prefix: string): string {
  return `${id} ${prefix}`;
}
