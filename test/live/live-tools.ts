/** The driver and the comparer of the live checks, which are not part of this repository, and the differences that the comparer found. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Difference, isKnown } from "./known-differences.ts";

export class LiveTools {
  readonly #folder: string;
  readonly counts = { compared: 0, known: 0, unknown: 0 };

  /** @param folder has drive.mjs and compare.mjs */
  constructor(folder: string) {
    this.#folder = folder;
  }

  run(name: string, args: readonly string[]): { ended: Promise<number>; output: () => string } {
    const env = { ...process.env, FIRN_MODULES: fileURLToPath(new URL("../../node_modules", import.meta.url)) };
    const child = spawn(process.execPath, [join(this.#folder, name), ...args], { env, stdio: ["ignore", "pipe", "inherit"] });
    let output = "";
    child.stdout.on("data", (chunk) => (output += chunk));
    return { ended: once(child, "close").then(([code]) => code as number), output: () => output };
  }

  /** Returns whether all that differs is known to. @param out file for what differs @param log takes lines for people */
  async compare(requests: number, out: string, args: readonly string[], log: (line: string) => void): Promise<boolean> {
    const { ended, output } = this.run("compare.mjs", [...args, "--requests", `${requests}`, "--out", out, "--parallel", "3", "--no-c"]);
    await ended;
    log(output().trim().split("\n").at(-1) ?? "");
    const differences: readonly Difference[] = existsSync(out) ? JSON.parse(readFileSync(out, "utf8")) : [];
    const unknown = differences.filter((difference) => !isKnown(difference));
    for (const difference of unknown) log(JSON.stringify(difference).slice(0, 2000));
    this.counts.compared += requests;
    this.counts.known += differences.length - unknown.length;
    this.counts.unknown += unknown.length;
    return existsSync(out) && unknown.length === 0;
  }
}
