import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CatchUpBounds } from "../../src/store/catch-up/catch-up-store.ts";
import { openTiny } from "./catch-up-store.ts";
import { storeConformance } from "./conformance.ts";

/** Each commit begins a layer; a layer has some commits; the store is one file that never catches up. */
const cases: Record<string, Partial<CatchUpBounds>> = {
  "catching up with a layer for each commit": { layerBytes: 0 },
  "catching up": {},
  "catch-up store of one file": { startBytes: 2 ** 40 },
};

for (const [name, bounds] of Object.entries(cases)) {
  storeConformance({
    name,
    async open() {
      const directory = mkdtempSync(join(tmpdir(), "firn-catch-up-"));
      const store = await openTiny(directory, bounds);
      return {
        store,
        async close() {
          await store.close();
          rmSync(directory, { recursive: true, force: true });
        },
      };
    },
  });
}
