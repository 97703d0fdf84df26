import { join } from "node:path";
import type { Logger } from "pino";
import { BuildFolder } from "../evm/builds/build-folder.ts";

/** The server's build files of contracts, in the folder `builds` of its data directory. */
export function openBuilds(dataDirectory: string, log: Logger): BuildFolder {
  return new BuildFolder(join(dataDirectory, "builds"), (problem) => log.warn({ problem }, "Passing over a build file"));
}
