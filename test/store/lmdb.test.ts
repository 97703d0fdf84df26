import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore } from "../../src/store/open.ts";
import { storeConformance } from "./conformance.ts";

storeConformance({
  name: "lmdb",
  async open() {
    const directory = mkdtempSync(join(tmpdir(), "firn-lmdb-"));
    const store = await openStore({ directory, mode: "write" });
    return {
      store,
      async close() {
        await store.close();
        rmSync(directory, { recursive: true, force: true });
      },
    };
  },
});
