#!/usr/bin/env node
/**
 * The Solidity compiler of the npm package, called as build tools call its native program. They download that program, which needs more of
 * the internet than a package registry.
 */
const { readFileSync } = require("node:fs");
const solc = require("solc");

if (process.argv.includes("--version")) {
  console.log(`solc, the solidity compiler commandline interface\nVersion: ${solc.version()}`);
} else if (process.argv.includes("--standard-json")) {
  process.stdout.write(solc.compile(readFileSync(0, "utf8")));
} else {
  console.error("solc: only --version and --standard-json are known here");
  process.exitCode = 1;
}
