import type { CommandDefinition } from "../command.ts";
import { print } from "../print.ts";

export const copyCommand: CommandDefinition = {
  usage: "copy",
  summary: "copy a store between a data directory and PostgreSQL and compare both; goes on where it was interrupted",
  keys: ["storePasswordFile", "maxStoreBytes", "logLevel"],
  options: [
    { flags: "--from <place>", help: "data directory, or URL of the database, to copy from; nothing may write it meanwhile" },
    { flags: "--to <place>", help: "data directory, or URL of the database, to copy into; empty, or an unfinished copy" },
  ],
  examples: ["copy --from data --to postgres://firn@db.example.org/firn", "copy --from postgres://firn@db.example.org/firn --to data"],
  async run({ config, options, signal }) {
    const { copyStores } = await import("./copy-stores.ts");
    print(await copyStores({ from: options.from, to: options.to }, config, signal));
  },
};
