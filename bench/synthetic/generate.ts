/** Writes a synthetic network as a recording for `firn import`. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { writeAssetHistory } from "./asset-history.ts";
import { BlockFile } from "./block-file.ts";
import { networkFile, syntheticNetwork } from "./network.ts";
import { writePlatformHistory } from "./platform-history.ts";
import type { Scale } from "./scale.ts";

/** @returns the number of its transactions */
export async function generate(folder: string, scale: Scale): Promise<number> {
  mkdirSync(join(folder, "blocks"), { recursive: true });
  const network = syntheticNetwork();
  writeFileSync(join(folder, "network.json"), JSON.stringify(networkFile));
  writeFileSync(join(folder, "genesis-P.hex"), Buffer.from(network.genesisBytes).toString("hex"));
  const open = (chain: string) => new BlockFile(join(folder, `blocks/${chain}.jsonl`));
  const platform = await writePlatformHistory(open, network, scale);
  return platform + (await writeAssetHistory(open, network, scale));
}
