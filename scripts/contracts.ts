/** `npm run contracts`: compiles the contracts that a devnet starts with. A test fails when the committed bytecode differs. */
import { writeFileSync } from "node:fs";
import { BYTECODE_FILE, bytecodeText, MULTICALL_FILE, multicallText } from "./compile-contracts.ts";

for (const [file, text] of [
  [BYTECODE_FILE, bytecodeText()],
  [MULTICALL_FILE, multicallText()],
] as const) {
  writeFileSync(file, text);
  console.log(file);
}
