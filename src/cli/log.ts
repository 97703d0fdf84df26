import type { Logger } from "pino";
import { openLog as open } from "../serve/log.ts";
import type { Config } from "./config.ts";

export function openLog({ logLevel }: Pick<Config, "logLevel">): Logger {
  return open(logLevel, "firn");
}
