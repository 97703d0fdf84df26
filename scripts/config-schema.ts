/** The JSON Schema of a configuration file, from the definitions of its keys: for editors, which find it by the file's `$schema`. */

import type { JsonSchema } from "../src/base/json/json-members.ts";
import { type ConfigName, configKeys, configNames, SCHEMA_KEY } from "../src/cli/config.ts";
import type { Kind } from "../src/cli/config-kinds.ts";

const ABBREVIATIONS = new Map(["API", "EVM", "HTTP", "JSON", "RPC", "URL", "UTXOs"].map((word) => [word.toLowerCase(), word]));

export function configSchema(): JsonSchema {
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    title: "Configuration of Firn",
    description: "The file that --config or FIRN_CONFIG names. Paths in it are relative to the folder that it is in.",
    type: "object",
    properties: {
      [SCHEMA_KEY]: { type: "string", title: "Schema", description: "Where this schema is, for editors." },
      ...Object.fromEntries(configNames().map((name) => [name, property(name)])),
    },
    additionalProperties: false,
  };
}

function property(name: ConfigName): JsonSchema {
  const { kind, help, default: fallback } = configKeys[name] as { kind: Kind<unknown>; help: string; default: unknown };
  const written = fallback === undefined || kind.write === undefined ? fallback : kind.write(fallback);
  return { title: titleOf(name), description: `${capitalized(help)}. Write ${kind.expects}.`, ...kind.schema, default: written };
}

function titleOf(name: ConfigName): string {
  const words = name.split(/(?=[A-Z])/).map((word) => word.toLowerCase());
  return capitalized(words.map((word) => ABBREVIATIONS.get(word) ?? word).join(" "));
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
