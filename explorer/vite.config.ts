/** Builds the explorer into `dist/explorer`: one page, whose files are named relative to it. */
import { fileURLToPath } from "node:url";
import { defineConfig, type Plugin, type Rolldown } from "vite";

const source = (path: string) => fileURLToPath(new URL(`./src/${path}`, import.meta.url));

/** The modules that a module needs before it runs. */
function needed(id: string, modules: Rolldown.ChunkingContext, seen = new Set<string>()): Set<string> {
  if (seen.has(id)) return seen;
  seen.add(id);
  for (const imported of modules.getModuleInfo(id)?.importedIds ?? []) needed(imported, modules, seen);
  return seen;
}

/** The frame and home are a file each: most visits begin there, though other screens share some of their parts. */
function chunkOf(id: string, modules: Rolldown.ChunkingContext): string | null {
  const main = source("main.tsx");
  if (needed(main, modules).has(id)) return id === main ? null : "frame";
  return needed(source("screens/home/home.tsx"), modules).has(id) ? "home" : null;
}

/** Home's file is fetched while the frame's runs. */
const preloadHome: Plugin = {
  name: "preload-home",
  transformIndexHtml: (_, { bundle = {} }) =>
    Object.keys(bundle)
      .filter((file) => /\/home-[^/]*\.js$/.test(file))
      .map((file) => ({ tag: "link", attrs: { rel: "modulepreload", crossorigin: true, href: `./${file}` }, injectTo: "head" })),
};

export default defineConfig({
  root: fileURLToPath(new URL(".", import.meta.url)),
  base: "./",
  publicDir: false,
  plugins: [preloadHome],
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
    rolldownOptions: {
      output: { codeSplitting: { includeDependenciesRecursively: false, groups: [{ name: chunkOf, debugName: "frame and home" }] } },
    },
  },
  // for `npx vite explorer`: the API of a Firn that runs beside it
  server: { proxy: { "^/(v1|v2|ext|docs)": "http://127.0.0.1:9650" } },
});
