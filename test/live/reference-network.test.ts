import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ReferenceNetwork } from "./reference-network.ts";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "firn-reference-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

test("a node that ends at once is told with its exit and its last lines", async () => {
  const binary = join(directory, "node");
  writeFileSync(binary, '#!/bin/sh\necho "helicon: $FIRN_HELICON_TIME"\necho "unknown flag" >&2\nexit 3\n', { mode: 0o755 });
  const started = ReferenceNetwork.start({ binary, keys: directory, directory, environment: { FIRN_HELICON_TIME: "17" } });
  await expect(started).rejects.toThrow(/^node-\d ended with 3; its last lines:\nhelicon: 17\nunknown flag$/);
});

test("a binary that is not there is told", async () => {
  const started = ReferenceNetwork.start({ binary: join(directory, "missing"), keys: directory, directory });
  await expect(started).rejects.toThrow(/^node-\d cannot be started: spawn .*missing ENOENT$/);
});
