/** `firn import` whose store catches up in layers of a few pages: `import-in-layers.ts <recording> <data directory> <level> <batch blocks>`. */
import { readConfig } from "../../src/cli/config.ts";
import { importRecording } from "../../src/cli/store/import-recording.ts";
import { TINY } from "../store/catch-up-store.ts";

const [recording, dataDir, level, batchBlocks] = process.argv.slice(2);
const config = readConfig({ flags: { dataDir, level, batchBlocks, logLevel: "warn" }, environment: {} });
console.log(await importRecording(recording!, config, new AbortController().signal, { bounds: TINY }));
