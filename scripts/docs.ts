/** `npm run docs`: writes the reference pages that follow from the code. A test fails when they differ. */
import { writeFileSync } from "node:fs";
import { referencePages } from "./reference-pages.ts";

for (const [path, text] of await referencePages()) {
  writeFileSync(path, text);
  console.log(path);
}
