/** `tsx bench/growth/import-case.ts DATA-DIR FIRST INTERVAL`: imports the blocks of P and X that come on stdin (`write-blocks.ts`). */
import { networkFile, syntheticNetwork } from "../synthetic/network.ts";
import { streamSource } from "./block-stream.ts";
import { built, bytesBelow } from "./built.ts";
import { Rates } from "./rates.ts";

const [dataDir, first, interval] = process.argv.slice(2) as [string, string, string];
const { importSource } = await built<typeof import("../../src/cli/store/import-recording.ts")>("cli/store/import-recording");
const { readConfig } = await built<typeof import("../../src/cli/config.ts")>("cli/config");
const config = readConfig({ flags: { dataDir, level: "replay", logLevel: "warn" }, environment: {} });
const source = streamSource(process.stdin, syntheticNetwork(), networkFile);
const rates = new Rates({ first: Number(first), interval: Number(interval), storeBytes: () => bytesBelow(dataDir) });
await importSource(source, config, new AbortController().signal, { onCommit: ({ transactions }) => rates.committed(transactions) });
rates.end();
