import type { CommandDefinition } from "./command.ts";

export const verifyCommand: CommandDefinition = {
  usage: "verify",
  summary: "read a whole store and check it; changes nothing, exits with code 1 if something is wrong",
  keys: ["dataDir", "json"],
  options: [
    {
      flags: "--all",
      help: "execute all blocks again and compare every row that they yield; needs as much free disk space as the store takes",
    },
    {
      flags: "--replay-seconds <seconds>",
      help: "how long to execute blocks again, from the first block on; not with --all",
      default: "30",
    },
    { flags: "--scratch <directory>", help: "directory for the second store that rows are compared with; default: the data directory" },
  ],
  examples: ["verify --data-dir data", "verify --data-dir data --all --scratch /tmp"],
  async run({ config, options, signal }) {
    const { verify } = await import("./verify/verify-process.ts");
    await verify(config, options, signal);
  },
};
