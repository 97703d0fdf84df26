import { type Logger, pino } from "pino";
import type { Config } from "./config.ts";

/** Structured lines on standard error, so that standard output holds results only. */
export function openLog({ logLevel }: Pick<Config, "logLevel">): Logger {
  return pino({ name: "firn", level: logLevel }, pino.destination({ fd: 2, sync: true }));
}
