/** The program, started from the command line. */
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { recordingFolder } from "../conformance/recordings.ts";
import { firstDifference, storeRows } from "../faults/store-rows.ts";
import { scratchDirectory } from "../store/scratch.ts";
import { FirnProcess, run } from "./firn.ts";

describe("firn", () => {
  test("imports, tells the status, rebuilds and still has the same rows", async () => {
    const directory = scratchDirectory();
    const imported = run(["import", recordingFolder("x-dag"), "--data-dir", directory]);
    expect(imported).toMatchObject({ exitCode: 0, output: expect.stringMatching(/22 blocks, 19 transactions in .* blocks\/s.*X 3/) });
    const rows = await storeRows(directory);
    expect(run(["import", recordingFolder("x-dag"), "--data-dir", directory]).output).toMatch(/^0 blocks, 0 transactions/);
    expect(run(["reindex", "--data-dir", directory]).exitCode).toBe(0);
    expect(firstDifference(await storeRows(directory), rows)).toBeUndefined();
    expect(run(["status", "--data-dir", directory]).output).toMatch(
      /^network 424242 \(network-424242\): P 0, X 3, C 0\nstore in \S+: \d+\.\d MB\n$/,
    );
    const { network, store } = JSON.parse(run(["status", "--json", "--data-dir", directory]).output);
    expect(network).toMatchObject({ networkId: 424242, chains: [{ name: "P" }, { name: "X", height: "3" }, { name: "C" }] });
    expect(store.bytes).toBe(statSync(join(directory, "store", "data.mdb")).size + statSync(join(directory, "store", "lock.mdb")).size);
  });

  test("refuses to import another network into a store, with exit code 1 and one line", () => {
    const directory = scratchDirectory();
    expect(run(["import", recordingFolder("x-dag"), "--data-dir", directory]).exitCode).toBe(0);
    const { exitCode, error } = run(["import", recordingFolder("latest-1"), "--data-dir", directory]);
    expect(exitCode).toBe(1);
    expect(error).toMatch(/^firn: .* holds network 424242 .*, not network 9001 .*; use another --data-dir\n$/);
  });

  test("ends with exit code 2 on a wrong flag or value", () => {
    const error = "error: unknown option '--http-prot'\n(Did you mean --http-port?)\nfirn serve --help lists what it takes\n";
    expect(run(["serve", "--http-prot", "1"])).toEqual({ exitCode: 2, output: "", error });
    expect(run(["serve", "--http-port", "x"])).toMatchObject({ exitCode: 2, error: expect.stringContaining("--http-port") });
  });

  test("forgets chains of a store that is there, and makes none where there is none", () => {
    const directory = join(scratchDirectory(), "none");
    const missing = { exitCode: 1, error: expect.stringContaining(`there is no store in ${directory}`) };
    expect(run(["forget", "43112", "--data-dir", directory])).toMatchObject(missing);
    expect(existsSync(directory)).toBe(false);
    expect(run(["forget", "C", "--data-dir", directory])).toMatchObject({ exitCode: 2, error: expect.stringContaining("EVM chain ID") });
  });

  test("tells in help every flag with default and environment variable, and examples", () => {
    const { exitCode, output } = run(["serve", "--help"]);
    expect(exitCode).toBe(0);
    for (const flag of ["--data-dir", "--http-host", "--http-port", "--http-allowed-hosts", "--workers", "--time", "--public"]) {
      expect(output).toContain(flag);
    }
    expect(output).toContain("FIRN_HTTP_PORT");
    expect(output).toMatch(/Examples:\n {2}\$ firn serve/);
  });

  test("an interrupted import ends cleanly and can go on", async () => {
    const directory = scratchDirectory();
    const args = ["import", recordingFolder("p-eras-old"), "--data-dir", directory, "--level", "replay", "--batch-blocks", "1"];
    const child = new FirnProcess(args);
    const summary = child.printed(/(stopped: \d+ blocks|\d+ blocks, \d+ transactions)/);
    // it has committed something, and so heeds signals
    const data = join(directory, "store", "data.mdb");
    await expect.poll(() => statSync(data, { throwIfNoEntry: false })?.size ?? 0).toBeGreaterThan(500_000);
    expect(await child.end()).toBe(0);
    await summary;
    expect(run(["import", recordingFolder("p-eras-old"), "--data-dir", directory, "--level", "replay"]).output).toContain("P 2384");
  });
});
