import type { CommandDefinition } from "../command.ts";
import { complain, print } from "../print.ts";
import { archiveGroup } from "./archive.ts";
import { STORE_KEYS } from "./store-keys.ts";

export const archiveExportCommand: CommandDefinition = {
  group: archiveGroup,
  usage: "export <folder>",
  summary: "write the blocks of the store into a folder that firn import reads; continues where the folder ends",
  keys: [...STORE_KEYS, "until"],
  examples: ["archive export backup --data-dir data", "archive export backup --data-dir data --until P=120000,X=45000,C=900000"],
  async run({ config, args, signal }) {
    const { dataDir, until } = config;
    const { exportArchive } = await import("../../ingest/archive/export.ts");
    const { catchingUpSentence, openStore } = await import("../../store/open.ts");
    const { storePlace } = await import("./store-place.ts");
    const store = await openStore({ ...storePlace(config), mode: "read" });
    const catchingUp = config.store === undefined ? catchingUpSentence(dataDir) : undefined;
    if (catchingUp !== undefined) complain(catchingUp);
    const folder = args[0]!;
    let total = 0;
    try {
      await exportArchive({
        reader: store,
        directory: dataDir,
        folder,
        until,
        signal,
        onSegment(file, blocks) {
          total += blocks;
          complain(`${file}: ${blocks} blocks`);
        },
      });
    } finally {
      await store.close();
    }
    const verb = signal.aborted ? "stopped: " : "";
    print(total === 0 ? `${verb}${folder} has all blocks of the store` : `${verb}${total} blocks written to ${folder}`);
  },
};
