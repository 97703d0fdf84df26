/** Builds the explorer into `dist/explorer`: one page, whose files are named relative to it. */
import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

export default defineConfig({
  root: fileURLToPath(new URL(".", import.meta.url)),
  base: "./",
  publicDir: false,
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    outDir: fileURLToPath(new URL("../dist/explorer", import.meta.url)),
    emptyOutDir: true,
    assetsDir: "explorer",
    // the policy of the page allows no data: scripts or styles
    assetsInlineLimit: 0,
    target: "es2022",
    reportCompressedSize: false,
    modulePreload: { polyfill: false },
  },
  // for `npx vite explorer`: the API of a Firn that runs beside it
  server: { proxy: { "^/(v1|v2|ext|docs)": "http://127.0.0.1:9650" } },
});
