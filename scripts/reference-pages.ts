/** Writes the reference pages from the code: tables, JSON-RPC methods, routes of the Data API, configuration, limits. Their sentences come from the definitions. */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { fullPath } from "../src/api/data/route.ts";
import { dataRoutes } from "../src/api/data/routes.ts";
import { endpointTexts, services } from "../src/api/rpc/registry.ts";
import type { ColumnKind } from "../src/base/codec/codec.ts";
import { type ErrorCode, type ErrorMeaning, errorCodes } from "../src/base/errors/error-codes.ts";
import { DEFAULT_LIMITS, LIMIT_NAMES, limitDefinitions } from "../src/base/limits.ts";
import type { Table } from "../src/base/table/table.ts";
import { commands } from "../src/cli/commands.ts";
import { type ConfigName, configKeys, environmentName } from "../src/cli/config.ts";
import { type Kind, kebab } from "../src/cli/config-kinds.ts";
import { type SqlColumn, sqlColumns } from "../src/store/postgres/columns.ts";
import { configSchema } from "./config-schema.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const GENERATED = "<!-- Written by `npm run docs`. Change the code, not this page. -->\n";

/** Paths and texts. */
export async function referencePages(): Promise<[path: string, text: string][]> {
  return [
    [`${root}docs/tables.md`, await tablesPage()],
    [`${root}docs/methods.md`, methodsPage()],
    [`${root}docs/configuration.md`, configurationPage()],
    [`${root}docs/config.schema.json`, `${JSON.stringify(configSchema(), undefined, 2)}\n`],
    [`${root}docs/data-api-routes.md`, dataApiRoutesPage()],
    [`${root}docs/errors.md`, errorsPage()],
    [`${root}docs/limits.md`, limitsPage()],
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
  const sqlLines = rows.map(({ table }) => {
    const { key, value } = sqlColumns(table);
    return `| \`${table.name}\` | ${sqlCell(key)} | ${sqlCell(value)} |`;
  });
  return `# Tables\n\n${GENERATED}
A table can be read by key, by many keys, by parts of long values, and by key prefix with a bound, a direction and a limit. Keys sort like their columns.
Hex columns are raw bytes of the given length, columns with a question mark may have no value; amounts are nAVAX, times Unix seconds unless a name says otherwise.

| ID | table | key | value | what it serves | defined in |
|---:|---|---|---|---|---|
${lines.join("\n")}

## In PostgreSQL

A [store in PostgreSQL](store-postgres.md) has these tables in the schema \`firn\`; the columns of the key are the primary key. Only columns marked with a ?
may be NULL. \`numeric(20)\` holds 64 bits without sign. A record, and a list, is a \`bytea\` of the same bytes as in a file. Hex is \`bytea\`, too. Text is UTF-8; a byte that it cannot hold is
written as \`\\xHH\`, and a backslash as two.

| table | primary key | other columns |
|---|---|---|
${sqlLines.join("\n")}
`;
}

function sqlCell(columns: readonly SqlColumn[]): string {
  return columns.map(({ sqlName, type, isNullable }) => `${sqlName.slice(1, -1)} ${type}${isNullable ? "?" : ""}`).join(", ") || "–";
}

function isTable(value: unknown): value is Table {
  return typeof value === "object" && value !== null && "id" in value && "key" in value && "value" in value;
}

function columns(definition: Table["key"]): string {
  const names = Object.entries(definition).map(([name, { column }]) => `${name}: ${kindText(column)}`);
  return names.length === 0 ? "–" : names.join(", ");
}

function kindText(column: ColumnKind | undefined): string {
  if (column === undefined) return "record";
  if (column.kind === "optional") return `${kindText(column.inner)}?`;
  return column.kind === "hex" ? `${column.length} B` : column.kind;
}

function methodsPage(): string {
  const sections = Object.entries(services).map(([name, service]) => {
    const lines = service.names().map((name) => {
      const { params, summary, cost, computeUnits } = service.find(name).method;
      const names = Object.keys(params).map((param) => `\`${param}\``);
      return `| \`${name}\` | ${names.join(", ") || "–"} | ${cell(summary)} | ${cell(cost)} | ${computeUnits} |`;
    });
    return `## ${endpointTexts[name as keyof typeof services]}\n\n| method | params | what it answers | cost | compute units |\n|---|---|---|---|---:|\n${lines.join("\n")}\n`;
  });
  return `# JSON-RPC methods\n\n${GENERATED}
Answers are the reference node's, member for member. Parameter names match case-insensitively; integers may be numbers or strings.
Compute units count if \`--rate-limit-scope all\` is set: see [keys and limits](http.md#keys-and-limits).

${sections.join("\n")}`;
}

function describeDefault(fallback: unknown, { write }: Kind<unknown>): string {
  if (fallback === DEFAULT_LIMITS) return "[limits](limits.md)";
  const isNone = fallback === undefined || fallback instanceof Map || (Array.isArray(fallback) && fallback.length === 0);
  return isNone ? "–" : `\`${write?.(fallback) ?? fallback}\``;
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
The OpenAPI document of a running server (\`/v1/openapi.json\`) has parameters, limits and the form of answers. \`/docs\` shows it as a page.

${sections.join("\n")}`;
}

function configurationPage(): string {
  const users = (name: ConfigName) => [
    ...new Set(commands.filter(({ keys }) => keys.includes(name)).map(({ group, usage }) => `\`${group?.name ?? usage.split(" ")[0]}\``)),
  ];
  const lines = (Object.keys(configKeys) as ConfigName[]).map((name) => {
    const { help, default: fallback, kind } = configKeys[name] as { help: string; default: unknown; kind: Kind<unknown> };
    const own = commands.flatMap(({ usage, defaults = {} }) => {
      const value = defaults[name]?.value;
      return value === undefined ? [] : [`\`${usage.split(" ")[0]}\`: ${value === "" ? "none" : describeDefault(value, kind)}`];
    });
    const shown = [describeDefault(fallback, kind), ...own].join("; ");
    return `| \`${name}\` | \`--${kebab(name)}\` | \`${environmentName(name)}\` | ${shown} | ${cell(help)} | ${users(name).join(", ")} |`;
  });
  return `# Configuration\n\n${GENERATED}
Set a key in a JSON file (\`--config firn.json\`, or \`FIRN_CONFIG\`), in the environment, or by a flag. The environment overrides the file, and
a flag overrides both. Firn refuses a value that it cannot use, and says where it came from and what would be right.

Paths in a file are relative to the folder of that file; paths in flags and in the environment are relative to the working directory.

An editor completes and checks a file that names its schema, [config.schema.json](config.schema.json), which is part of the package:
\`{ "$schema": "./node_modules/firn-node/docs/config.schema.json", "httpPort": 9660 }\`

| key in the file | flag | environment | default | meaning | commands |
|---|---|---|---|---|---|
${lines.join("\n")}
`;
}

function errorsPage(): string {
  const after = ({ mayPass, isFinal, isUsage }: ErrorMeaning) =>
    mayPass ? "Firn tries again" : isFinal ? "Firn stops following the chain" : isUsage ? "the process exits with status 2" : "–";
  const lines = (Object.keys(errorCodes) as ErrorCode[]).map((code) => {
    const meaning = errorCodes[code];
    return `| \`${code}\` | ${meaning.means} | ${after(meaning)} |`;
  });
  return `# Errors

${GENERATED}
Every error that Firn raises has a code and a message. Logs show the code as \`code\`. The message says what is wrong and what to do; this table
says what all errors with one code have in common.

| code | meaning | what Firn does |
|---|---|---|
${lines.join("\n")}
`;
}

function limitsPage(): string {
  const lines = LIMIT_NAMES.map((name) => {
    const { default: value, unit, bounds, beyond } = limitDefinitions[name];
    const amount = unit === "bytes" ? `${value / 2 ** 20} MiB` : `${value.toLocaleString("en")} ${unit}`.trim();
    return `| \`${name}\` | ${amount} | ${bounds} | ${beyond} |`;
  });
  return `# Limits

${GENERATED}
One request, one connection and one serving process may use this much. Change it with \`--limits bodyBytes=2MiB,connections=500\`, or with an object in the configuration file:
\`{"limits": {"bodyBytes": "2MiB", "connections": 500}}\`. Limits that you leave out keep their defaults. With several workers, each process has its own limits.

| limit | default | bounds | beyond |
|---|---:|---|---|
${lines.join("\n")}
`;
}
