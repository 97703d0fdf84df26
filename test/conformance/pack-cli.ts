/** `npm run pack-recording -- <folder> <out.br>`: packs a recording for the repository. */
import { writeFileSync } from "node:fs";
import { pack } from "./packed.ts";

const [folder, out] = process.argv.slice(2);
if (folder === undefined || out === undefined) {
  console.error("usage: npm run pack-recording -- <recording folder> <out.br>");
  process.exit(2);
}
const packed = pack(folder);
writeFileSync(out, packed);
console.log(`${out}: ${packed.length} bytes`);
