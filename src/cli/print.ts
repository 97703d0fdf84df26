/** The one place where commands print. */
import { inspect } from "node:util";
import { terminalLine, terminalText } from "../base/text/terminal-text.ts";

/** Prints a result on standard output: a text with lines of its own, or lines each of which stays one, whatever strangers wrote into it. */
export function print(result: string | readonly string[]): void {
  process.stdout.write(`${typeof result === "string" ? terminalText(result) : result.map(terminalLine).join("\n")}\n`);
}

/** Prints a sentence on standard error. */
export function complain(sentence: string): void {
  process.stderr.write(`${terminalLine(sentence)}\n`);
}

/** Prints a defect with its stack trace on standard error. */
export function complainOfDefect(error: unknown): void {
  process.stderr.write(`${terminalText(inspect(error))}\n`);
}

/** Who reads the output may go at any time, such as `head`: nobody is left who could be told. */
export function outliveReaders(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE") throw error;
    });
  }
}
