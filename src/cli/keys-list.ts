import type { CommandDefinition } from "./command.ts";
import { keysGroup } from "./keys.ts";
import { print } from "./print.ts";

const COLUMNS = ["ID", "NAME", "TIER", "PRIVILEGES", "MADE", "REVOKED"];

export const keysListCommand: CommandDefinition = {
  group: keysGroup,
  usage: "list",
  summary: "list the API keys, including revoked ones, without their secrets",
  keys: ["dataDir"],
  examples: ["keys list --data-dir data"],
  async run({ config }) {
    const { listKeys } = await import("../api/access/manage-keys.ts");
    const keys = listKeys(config.dataDir);
    if (keys.length === 0) return print(`no API keys in ${config.dataDir}; create one with: firn keys add --data-dir ${config.dataDir}`);
    const rows = keys.map(({ id, name, tier, privileges, createdAt, revokedAt = "-" }) => [
      id,
      name,
      tier,
      privileges.join(","),
      createdAt,
      revokedAt,
    ]);
    print(table([COLUMNS, ...rows]));
  },
};

function table(rows: readonly string[][]): string {
  const widths = COLUMNS.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows
    .map((row) =>
      row
        .map((text, column) => text.padEnd(widths[column]!))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
