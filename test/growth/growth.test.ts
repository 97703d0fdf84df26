import { execFile } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isWhole } from "../share.ts";
import { additions, type Line } from "./additions.ts";

const root = new URL("../../", import.meta.url).pathname;
const project = mkdtempSync(join(tmpdir(), "firn-growth-"));
const module = (file: string) => import(join(project, file));

beforeAll(() => {
  cpSync(join(root, "src"), join(project, "src"), { recursive: true });
  symlinkSync(join(root, "node_modules"), join(project, "node_modules"));
  const { compilerOptions } = JSON.parse(readFileSync(join(root, "tsconfig.json"), "utf8"));
  writeFileSync(
    join(project, "tsconfig.json"),
    JSON.stringify({ compilerOptions: { ...compilerOptions, incremental: true, tsBuildInfoFile: "build-info" }, include: ["src"] }),
  );
  writeFileSync(join(project, "package.json"), readFileSync(join(root, "package.json")));
  for (const { files, lines } of additions) {
    for (const [file, text] of Object.entries(files)) writeFileSync(join(project, file), text);
    for (const line of lines) insert(line);
  }
});

afterAll(() => rmSync(project, { recursive: true }));

function insert({ file, before, line }: Line): void {
  const path = join(project, file);
  const text = readFileSync(path, "utf8");
  const at = text.indexOf(before);
  if (at === -1) throw new Error(`${file} has no ${before}`);
  writeFileSync(path, text.slice(0, at) + line + text.slice(at));
}

/** The files that the compiler complains of. */
function complaints(): Promise<string[]> {
  return new Promise((resolve) => {
    execFile(join(root, "node_modules/.bin/tsc"), ["-p", project, "--pretty", "false"], { cwd: project }, (_, output) => {
      resolve([...new Set([...output.matchAll(/^(\S+)\(\d+,\d+\): error/gm)].map(([, file]) => file!))].sort());
    });
  });
}

/** Files that somebody touches who adds it. */
const touched: Readonly<Record<string, number>> = {
  "a transaction type of the P-chain": 3,
  "a JSON-RPC method": 2,
  "a route of the Data API": 2,
  "a table": 1,
  "a command": 2,
};

describe("who adds a transaction type, a method, a route, a table and a command", () => {
  test.runIf(isWhole)("is told by the compiler of every file that is still to be touched, and of no other", async () => {
    const asked = additions.flatMap(({ asked }) => asked);
    expect(await complaints()).toEqual(asked.map(({ file }) => file));
    for (const line of asked) insert(line);
    expect(await complaints()).toEqual([]);
  });

  test.each(additions)("touches the files that ARCHITECTURE.md names: $what", ({ what, files, lines, asked }) => {
    expect(new Set([...Object.keys(files), ...[...lines, ...asked].map(({ file }) => file)]).size).toBe(touched[what]);
  });

  test("has a transaction that every part of Firn knows", async () => {
    const [{ balancesOf, definitions, isOf, parseTx, unsignedTx }, { assemble }] = await Promise.all(
      ["registry", "signed"].map((name) => module(`src/chains/platform/tx/${name}.ts`)),
    );
    const base = { networkId: 1, blockchainId: "00".repeat(32), outputs: [], inputs: [], memo: new Uint8Array() };
    const { unsigned, ...tx } = parseTx(assemble(unsignedTx, { kind: "MeltTx", ...base, grams: 7 }, []).bytes);
    expect(unsigned).toMatchObject({ kind: "MeltTx", grams: 7 });
    expect(definitions.map(({ name }: { name: string }) => name)).toContain("MeltTx");
    expect(isOf("staking", unsigned)).toBe(false);
    const { namesNeeded } = await module("src/chains/platform/builder/pending-tx.ts");
    expect(namesNeeded({ ...tx, unsigned })).toEqual(new Set(["7 g"]));
    expect(balancesOf(unsigned)).toEqual([7n]);
    const { platformTypeNames } = await module("src/api/rpc/platform/issue-tx.ts");
    expect(platformTypeNames.typeName(43)).toBe("txs.MeltTx");
    const { txTypeIds } = await module("src/chains/platform/type-ids.ts");
    expect(txTypeIds.has(43)).toBe(true);
    const { classOf, transactionClasses } = await module("src/index/primary/transactions/transaction-classes.ts");
    const others = Object.entries(transactionClasses).filter(([name]) => name !== "MeltTx");
    expect(others.map(([, number]) => number)).not.toContain(classOf("MeltTx"));
    const { txTypeName, txTypeNames } = await module("src/api/data/transactions/type-names.ts");
    expect(txTypeNames).toContain("MeltTx");
    expect(txTypeName("MeltTx", { hasRealTypeNames: true })).toBe("MeltTx");
    expect(txTypeName("MeltTx", { hasRealTypeNames: false })).toBe("UNKNOWN");
  });

  test("has a method, a route, a table and a command that are served, documented and found", async () => {
    const [{ Service }, { platformMethods }] = await Promise.all(
      ["service", "platform/methods"].map((name) => module(`src/api/rpc/${name}.ts`)),
    );
    expect(new Service(platformMethods).names()).toContain("platform.getThaw");
    const [{ openApiSteps }, { dataRoutes }] = await Promise.all(
      ["openapi/document", "routes"].map((name) => module(`src/api/data/${name}.ts`)),
    );
    const steps = openApiSteps(dataRoutes, { label: "mainnet", keyUse: "none" });
    let step = steps.next();
    while (!step.done) step = steps.next();
    expect(step.value.paths).toHaveProperty("/v1/thaw");
    const { meltedRows } = await module("src/store/tables.ts");
    const { rowCodec, decodeRow } = await module("src/store/lmdb/row-codec.ts");
    const codec = rowCodec(meltedRows);
    expect(decodeRow(codec, codec.encodeKey({ slot: 1 }), codec.encodeValue({ grams: 7 }))).toEqual({
      key: { slot: 1 },
      value: { grams: 7 },
    });
    const { commands } = await module("src/cli/commands.ts");
    expect(commands.map(({ usage }: { usage: string }) => usage)).toContain("melt");
  });
});
