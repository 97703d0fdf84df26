/** Imported before anything else: an older Node stops at the first name that it does not know, with a SyntaxError. Itself it runs on any. */
const [, major, minor] = /^v(\d+)\.(\d+)/.exec(process.version).map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(`Firn needs Node 20.19 or newer; this is Node ${process.version.slice(1)}\n`);
  process.exit(1);
}
