import { archiveGroup } from "./archive.ts";
import type { CommandDefinition } from "./command.ts";

export const archiveExportCommand: CommandDefinition = {
  group: archiveGroup,
  usage: "export <folder>",
  summary: "write the blocks of the store into a folder that firn import reads; continues where the folder ends",
  keys: ["dataDir", "until"],
  examples: ["archive export backup --data-dir data", "archive export backup --data-dir data --until P=120000,X=45000,C=900000"],
  async run({ config: { dataDir, until }, args, signal }) {
    const { exportArchive } = await import("../archive/export.ts");
    const { catchingUpSentence, openStore } = await import("../store/open.ts");
    const store = await openStore({ directory: dataDir, mode: "read" });
    const catchingUp = catchingUpSentence(dataDir);
    if (catchingUp !== undefined) console.error(catchingUp);
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
          console.error(`${file}: ${blocks} blocks`);
        },
      });
    } finally {
      await store.close();
    }
    const verb = signal.aborted ? "stopped: " : "";
    console.log(total === 0 ? `${verb}${folder} has all blocks of the store` : `${verb}${total} blocks written to ${folder}`);
  },
};
