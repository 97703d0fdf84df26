import type { CommandDefinition } from "../command.ts";
import { print } from "../print.ts";
import { STORE_KEYS } from "./store-keys.ts";

export const importCommand: CommandDefinition = {
  usage: "import <recording>",
  summary: "execute the blocks of a recording into a store; continues where the store ends",
  keys: [...STORE_KEYS, "until", "level", "batchBlocks", "readThreads", "maxStoreBytes", "logLevel"],
  examples: [
    "import recordings/latest-1 --data-dir data",
    "import recordings/latest-1 --data-dir data --until P=120,X=45,C=30 --level replay",
  ],
  async run({ config, args, signal }) {
    const { importRecording } = await import("./import-recording.ts");
    print(await importRecording(args[0]!, config, signal));
  },
};
