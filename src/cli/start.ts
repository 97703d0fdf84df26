import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { CommandDefinition } from "./command.ts";
import { SERVE_KEYS, serveUntil } from "./serve.ts";

/** A small network of every era, in the repository. */
const RECORDING = fileURLToPath(new URL("../../test/recordings/latest-1.br", import.meta.url));

export const startCommand: CommandDefinition = {
  usage: "start",
  summary: "import a small recorded network into a temporary store and serve it",
  keys: ["recording", "level", ...SERVE_KEYS],
  examples: ["start", "start --recording recordings/eras-1 --http-port 9700"],
  async run({ config, signal }) {
    const dataDir = mkdtempSync(join(tmpdir(), "firn-"));
    try {
      const { importRecording } = await import("./import-recording.ts");
      console.log(await importRecording(config.recording ?? RECORDING, { ...config, dataDir }, signal));
      if (!signal.aborted) await serveUntil({ ...config, dataDir }, signal);
    } finally {
      rmSync(dataDir, { recursive: true, force: true });
    }
  },
};
