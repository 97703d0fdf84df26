import fc from "fast-check";
import { expect, test } from "vitest";
import { readMerged, type Source } from "../../../explorer/src/screens/address/merged-pages.ts";

interface Item {
  readonly timestamp: number;
  readonly id: string;
}

/** A list that is read in pages of these sizes, some of which are empty. */
function sourceOf(items: readonly Item[], sizes: readonly number[], asked: { count: number }): Source<Item> {
  return async (pageToken) => {
    asked.count++;
    const [at, page] = (pageToken ?? "0 0").split(" ").map(Number) as [number, number];
    const end = at + sizes[page % sizes.length]!;
    return { items: items.slice(at, end), nextPageToken: end >= items.length ? undefined : `${end} ${page + 1}` };
  };
}

test("all items of all sources are shown once, newest first, and no page asks a source twice", async () => {
  const list = fc.array(fc.nat(20), { maxLength: 20 });
  // some page has items, or a walk would not end
  const sizes = fc.array(fc.nat(4), { minLength: 1, maxLength: 4 }).filter((all) => all.some((size) => size > 0));
  await fc.assert(
    fc.asyncProperty(fc.array(fc.record({ list, sizes }), { minLength: 1, maxLength: 4 }), async (specs) => {
      const asked = { count: 0 };
      const lists = specs.map((spec, s) => spec.list.sort((a, b) => b - a).map((timestamp, i) => ({ timestamp, id: `${s} ${i}` })));
      const sources = lists.map((items, s) => sourceOf(items, specs[s]!.sizes, asked));
      const shown: Item[] = [];
      let page = await readMerged(sources);
      for (;;) {
        expect(asked.count).toBeLessThanOrEqual(sources.length);
        asked.count = 0;
        shown.push(...page.items);
        if (page.nextPageToken === undefined) break;
        page = await readMerged(sources, page.nextPageToken);
      }
      expect(shown.map(({ timestamp }) => timestamp)).toEqual(
        lists
          .flat()
          .map(({ timestamp }) => timestamp)
          .sort((a, b) => b - a),
      );
      expect(new Set(shown.map(({ id }) => id)).size).toBe(lists.flat().length);
    }),
  );
});
