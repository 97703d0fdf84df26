/** Writes the log to standard error, which leaves standard output to results: short lines on a terminal, JSON elsewhere. */
import { isatty } from "node:tty";
import { type Logger, pino } from "pino";
import { terminalLine, terminalText } from "../base/text/terminal-text.ts";

const STANDARD_ERROR = 2;
const WARN = pino.levels.values.warn!;
const ERROR = pino.levels.values.error!;
/** clears the terminal's last line, which may show progress */
const CLEAR_LINE = "\r\u001b[2K";
const [RED, YELLOW] = [31, 33];
/** fields that every line has and that are shown in another form or are of no use to people */
const UNTOLD = new Set(["level", "time", "pid", "hostname", "name", "msg", "err"]);

/** @param name of the program, for JSON lines */
export function openLog(level: string, name?: string): Logger {
  const options = { level, ...(name !== undefined && { name }) };
  const destination = pino.destination({ fd: STANDARD_ERROR, sync: true });
  if (!isatty(STANDARD_ERROR)) return pino(options, { write: (json: string) => destination.write(terminalText(json)) });
  const hasColors = !process.env.NO_COLOR;
  return pino(options, { write: (json: string) => destination.write(CLEAR_LINE + lineForPeople(json, { hasColors })) });
}

/**
 * `12:30:05 warn  Could not reach a chain; trying again  rpc 127.0.0.1:9650/, reason …`, followed by the stack trace of an unexpected
 * error.
 */
export function lineForPeople(json: string, { hasColors }: { hasColors: boolean }): string {
  const { level, time, msg = "", err, ...facts } = JSON.parse(json);
  const told = Object.entries(facts).filter(([name]) => !UNTOLD.has(name));
  if (err !== undefined) told.push(["error", err.message]);
  const shown = told.map(([name, value]) => `${name} ${typeof value === "string" ? value : JSON.stringify(value)}`).join(", ");
  const stack = level >= ERROR && err?.stack !== undefined ? `${err.stack}\n` : "";
  const label = (pino.levels.labels[level] ?? "").padEnd(5);
  const painted = hasColors && level >= WARN ? `\u001b[${level >= ERROR ? RED : YELLOW}m${label}\u001b[39m` : label;
  return `${new Date(time).toTimeString().slice(0, 8)} ${painted} ${terminalLine(`${msg}${shown === "" ? "" : `  ${shown}`}`)}\n${terminalText(stack)}`;
}
