/** Reference pages made from the code: tables, JSON-RPC methods, routes of the Data API, configuration. Their sentences are the docstrings of the definitions. */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { commands } from "../src/cli/commands.ts";
import { type ConfigName, configKeys, environmentName } from "../src/cli/config.ts";
import { kebab } from "../src/cli/config-kinds.ts";
import { NO_LIMITS } from "../src/data/access/tiers.ts";
import { fullPath } from "../src/data/route.ts";
import { dataRoutes } from "../src/data/routes.ts";
import type { Table } from "../src/primitives/table.ts";
import { services } from "../src/rpc/registry.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const GENERATED = "<!-- Written by `npm run docs`. Change the code, not this page. -->\n";

/** Paths and texts. */
export async function referencePages(): Promise<[path: string, text: string][]> {
  return [
    [`${root}docs/tables.md`, await tablesPage()],
    [`${root}docs/methods.md`, methodsPage()],
    [`${root}docs/configuration.md`, configurationPage()],
    [`${root}docs/data-api-routes.md`, dataApiRoutesPage()],
  ];
}

function sources(folder = `${root}src`): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts"))
    .sort()
    .map((path) => `${folder}/${path}`);
}

/** Docstrings that stand directly before a match of `definition`, by its first group. */
function docstrings(definition: RegExp): Map<string, string> {
  const found = new Map<string, string>();
  for (const path of sources()) {
    const text = readFileSync(path, "utf8");
    for (const match of text.matchAll(definition)) {
      const before = text.slice(0, match.index).trimEnd();
      if (!before.endsWith("*/")) continue;
      const comment = before.slice(before.lastIndexOf("/**") + 3, -2);
      found.set(
        match[1]!,
        comment
          .replace(/^\s*\* ?/gm, "")
          .trim()
          .replace(/\s*\n\s*/g, " "),
      );
    }
  }
  return found;
}

const cell = (text: string) => text.replaceAll("|", "\\|");

async function tablesPage(): Promise<string> {
  const texts = docstrings(/export const (\w+) = table\(\{/g);
  const rows: { table: Table; text: string; home: string }[] = [];
  for (const path of sources().filter((path) => /[/-]tables\.ts$/.test(path))) {
    for (const [name, value] of Object.entries(await import(path))) {
      if (isTable(value)) rows.push({ table: value, text: texts.get(name) ?? "", home: path.slice(root.length) });
    }
  }
  rows.sort((a, b) => a.table.id - b.table.id);
  const lines = rows.map(
    ({ table, text, home }) =>
      `| ${table.id} | \`${table.name}\` | ${columns(table.key)} | ${columns(table.value)} | ${cell(text)} | ${home} |`,
  );
  return `# Tables\n\n${GENERATED}
Reads are by key, by many keys, and by key prefix with a bound, a direction and a limit. Keys sort like their columns.
Hex columns are raw bytes of the given length; amounts are nAVAX, times Unix seconds unless a name says otherwise.

| ID | table | key | value | what it serves | defined in |
|---:|---|---|---|---|---|
${lines.join("\n")}
`;
}

function isTable(value: unknown): value is Table {
  return typeof value === "object" && value !== null && "id" in value && "key" in value && "value" in value;
}

function columns(definition: Table["key"]): string {
  const names = Object.entries(definition).map(([name, { column }]) => {
    if (column === undefined) return `${name}: record`;
    return column.kind === "hex" ? `${name}: ${column.length} B` : `${name}: ${column.kind}`;
  });
  return names.length === 0 ? "–" : names.join(", ");
}

const ENDPOINTS: Record<keyof typeof services, string> = {
  platform: "`/ext/bc/P`",
  avm: "`/ext/bc/X`, and `/ext/bc/<blockchain ID>` of any asset chain",
  wallet: "`/ext/bc/X/wallet`",
  avax: "`/ext/bc/C/avax`",
  proposervm: "`/ext/bc/<chain>/proposervm`",
  blockIndex: "`/ext/index/P/block`, `/ext/index/X/block`, `/ext/index/C/block`",
  txIndex: "`/ext/index/X/tx`",
  vertexIndex: "`/ext/index/X/vtx`",
  info: "`/ext/info`",
  publicInfo: "`/ext/info` with `--public`",
  health: "`/ext/health`",
  firn: "`/ext/firn` of a devnet",
};

function methodsPage(): string {
  const sections = Object.entries(services).map(([name, service]) => {
    const lines = service.names().map((name) => {
      const { params, summary, cost } = service.find(name).method;
      const names = Object.keys(params).map((param) => `\`${param}\``);
      return `| \`${name}\` | ${names.join(", ") || "–"} | ${cell(summary)} | ${cell(cost)} |`;
    });
    return `## ${ENDPOINTS[name as keyof typeof services]}\n\n| method | params | what it answers | cost |\n|---|---|---|---|\n${lines.join("\n")}\n`;
  });
  return `# JSON-RPC methods\n\n${GENERATED}
Answers are the reference node's, member for member. Parameter names match case-insensitively; integers may be numbers or strings.

${sections.join("\n")}`;
}

function describeDefault(fallback: unknown): string {
  if (fallback === NO_LIMITS) return "`off`";
  return fallback === undefined || fallback instanceof Map || (Array.isArray(fallback) && fallback.length === 0) ? "–" : `\`${fallback}\``;
}

function dataApiRoutesPage(): string {
  const tags = [...new Set(dataRoutes.map(({ tag }) => tag))];
  const sections = tags.map((tag) => {
    const lines = dataRoutes
      .filter((route) => route.tag === tag)
      .map(
        ({ method, operationId, summary, cost, computeUnits, ...route }) =>
          `| \`${method} ${fullPath(route)}\` | \`${operationId}\` | ${cell(summary)} | ${cell(cost)} | ${computeUnits} |`,
      );
    return `## ${tag}\n\n| route | operation | what it answers | cost | compute units |\n|---|---|---|---|---:|\n${lines.join("\n")}\n`;
  });
  return `# Routes of the Data API\n\n${GENERATED}
Parameters, limits and forms of answers are in the OpenAPI document of a running server, \`/v1/openapi.json\`, and readable under \`/docs\`.

${sections.join("\n")}`;
}

function configurationPage(): string {
  const users = (name: ConfigName) => [
    ...new Set(commands.filter(({ keys }) => keys.includes(name)).map(({ group, usage }) => `\`${group?.name ?? usage.split(" ")[0]}\``)),
  ];
  const lines = (Object.keys(configKeys) as ConfigName[]).map((name) => {
    const { help, default: fallback } = configKeys[name];
    const shown = describeDefault(fallback);
    return `| \`${name}\` | \`--${kebab(name)}\` | \`${environmentName(name)}\` | ${shown} | ${cell(help)} | ${users(name).join(", ")} |`;
  });
  return `# Configuration\n\n${GENERATED}
A key is set in a JSON file (\`--config firn.json\`, or \`FIRN_CONFIG\`), in the environment, or by a flag; the later one wins. A value that cannot be used is refused
with its origin and what would be right.

| key in the file | flag | environment | default | meaning | commands |
|---|---|---|---|---|---|
${lines.join("\n")}
`;
}
