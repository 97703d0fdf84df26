/** `npm run contracts`: compiles the precompiles' contracts. A test fails when the committed bytecode differs. */
import { writeFileSync } from "node:fs";
import { BYTECODE_FILE, bytecodeText } from "./compile-contracts.ts";

writeFileSync(BYTECODE_FILE, bytecodeText());
console.log(BYTECODE_FILE);
