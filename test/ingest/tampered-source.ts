/** A recording in which the containers of some blocks were replaced. */

import type { RuleLevel } from "../../src/base/errors/rule-level.ts";
import { ingestSource } from "../../src/ingest/ingest-source.ts";
import { networkInstance } from "../../src/ingest/network-instance.ts";
import type { NetworkInstance } from "../../src/network/network.ts";
import { openArchive } from "../../src/sources/archives/archive.ts";
import type { BlockItem, Source } from "../../src/sources/source.ts";
import { openStore } from "../../src/store/open.ts";
import { type RecordingName, recordingFolder } from "../conformance/recordings.ts";
import { scratchDirectory } from "../store/scratch.ts";

export type Tamper = (item: BlockItem, network: NetworkInstance) => BlockItem;

export async function tampered(name: RecordingName, tamper: Tamper): Promise<Source> {
  const source = await openArchive({ path: recordingFolder(name), instance: networkInstance });
  return {
    ...source,
    async *items(from) {
      for await (const run of source.items(from)) yield run.map((item) => (item.kind === "block" ? tamper(item, source.network) : item));
    },
  };
}

export async function ingestTampered(name: RecordingName, tamper: Tamper, level: RuleLevel = "full"): Promise<void> {
  const source = await tampered(name, tamper);
  const store = await openStore({ directory: scratchDirectory(), mode: "write", network: source.network, isTemporary: true });
  try {
    await ingestSource({ store, source, level });
  } finally {
    await store.close();
  }
}
