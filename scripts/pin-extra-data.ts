/**
 * `npx tsx scripts/pin-extra-data.ts FROM TO`: makes a file of `src/chains/atomic/extra-data` from the reference node's list
 * (`*_ext_data_hashes.json` of its C-chain): an object of block hashes and hashes of their extra data.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { PINNED_HASH_BYTES, PINNED_ID_BYTES } from "../src/chains/atomic/extra-data-pins.ts";

const [from, to] = process.argv.slice(2);
if (from === undefined || to === undefined) throw new Error("usage: npx tsx scripts/pin-extra-data.ts FROM TO");
const list = Object.entries<string>(JSON.parse(readFileSync(from, "utf8")));
const records = list.map(([block, hash]) =>
  Buffer.concat([
    Buffer.from(block.slice(2), "hex").subarray(0, PINNED_ID_BYTES),
    Buffer.from(hash.slice(2), "hex").subarray(0, PINNED_HASH_BYTES),
  ]),
);
writeFileSync(to, Buffer.concat(records.sort(Buffer.compare)));
console.log(`${records.length} blocks`);
