/** `tsx bench/growth/write-blocks.ts TRANSACTIONS`: writes the blocks of a synthetic network of about so many transactions to stdout. */
import { writeAssetHistory } from "../synthetic/asset-history.ts";
import { syntheticNetwork } from "../synthetic/network.ts";
import { writePlatformHistory } from "../synthetic/platform-history.ts";
import { growing } from "../synthetic/scale.ts";
import { BlockStream } from "./block-stream.ts";

const network = syntheticNetwork();
const scale = growing(Number(process.argv[2]));
const stream = new BlockStream();
await Promise.all([
  writePlatformHistory(stream.open, network, scale),
  writeAssetHistory(stream.open, network, scale),
  stream.writeTo(process.stdout),
]);
