/** The schema that editors read, against what Firn reads. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv } from "ajv";
import { describe, expect, test } from "vitest";
import { type Config, configKeys, readConfig } from "../../src/cli/config.ts";
import { scratchDirectory } from "../store/scratch.ts";

type Json = Readonly<Record<string, unknown>>;

const schema = JSON.parse(readFileSync("docs/config.schema.json", "utf8")) as Json & {
  readonly properties: Readonly<Record<string, Json>>;
};
const isRight = new Ajv({ strict: true, allowUnionTypes: true }).compile(schema);

function read(content: unknown): Config {
  const file = join(scratchDirectory(), "firn.json");
  writeFileSync(file, JSON.stringify(content));
  return readConfig({ flags: {}, environment: {}, file });
}

/** JSON objects in the pages, in blocks and in lines, whose members are configuration keys. */
function documentedExamples(): Json[] {
  const pages = ["README.md", ...readdirSync("docs").map((name) => `docs/${name}`)].filter((name) => name.endsWith(".md"));
  const texts = pages.flatMap((page) => [...readFileSync(page, "utf8").matchAll(/```json\n([\s\S]*?)```|`(\{[^`\n]*\})`/g)]);
  return texts.flatMap(([, block, line]) => {
    try {
      const value = JSON.parse(block ?? line!) as Json;
      const names = Object.keys(value).filter((name) => name !== "$schema");
      return names.length > 0 && names.every((name) => name in configKeys) ? [value] : [];
    } catch {
      return [];
    }
  });
}

describe("the schema of the configuration file", () => {
  test("accepts the examples in the pages, which Firn reads", () => {
    const examples = documentedExamples();
    expect(examples.length).toBeGreaterThanOrEqual(3);
    for (const example of examples) {
      read(example);
      expect(isRight(example), `${JSON.stringify(example)}: ${JSON.stringify(isRight.errors)}`).toBe(true);
    }
  });

  test.each<Json>([
    { $schema: "./config.schema.json" },
    { evm: false, json: true, time: 5, until: { P: 7 }, healthCheckFrequency: "1.5s", requireApiKey: true },
    { evm: "anvil", rateLimits: { free: { perMinute: 5 } }, limits: { connections: 5, bodyBytes: "2MiB" }, trustedProxies: ["10.0.0.0/8"] },
    { rateLimits: "free=6000/100000", httpAllowedHosts: "a.org,b.org", startTime: "2026-12-01T00:00:00Z" },
    { chains: [{ rpc: "http://a/", nfts: { maxBytes: 1 }, nativeToken: { decimals: 6 }, multicall: `0x${"aB".repeat(20)}` }] },
  ])("accepts %j, which Firn reads", (content) => {
    read(content);
    expect(isRight(content), JSON.stringify(isRight.errors)).toBe(true);
  });

  test.each<Json>([
    { httpPrt: 9650 },
    { httpPort: 70_000 },
    { httpPort: -1 },
    { httpPort: 1.5 },
    { dataDir: "" },
    { dataDir: 5 },
    { level: "half" },
    { public: "yes" },
    { requireApiKey: "some" },
    { healthCheckFrequency: "soon" },
    { healthCheckFrequency: 30 },
    { time: -1 },
    { url: "ftp://example.org" },
    { workers: 0 },
    { workers: 5000 },
    { until: { P: -1 } },
    { rateLimits: { unlimited: { perDay: 1 } } },
    { rateLimits: { free: { perHour: 1 } } },
    { rateLimits: { free: {} } },
    { limits: { conections: 5 } },
    { limits: { connections: 0 } },
    { limits: { bodyBytes: "2MB" } },
    { limits: {} },
    { httpAllowedHosts: [5] },
    { chains: {} },
    { chains: [{}] },
    { chains: [{ rpc: [] }] },
    { chains: [{ rpc: "ftp://a/" }] },
    { chains: [{ rpc: "http://a/", nftz: {} }] },
    { chains: [{ rpc: "http://a/", traces: "no" }] },
    { chains: [{ rpc: "http://a/", maxReorgDepth: 5000 }] },
    { chains: [{ rpc: "http://a/", nfts: { timeoutMs: 0 } }] },
    { chains: [{ rpc: "http://a/", files: { abis: "a.json" } }] },
    { chains: [{ rpc: "http://a/", multicall: "0x12" }] },
  ])("refuses %j, as Firn does", (content) => {
    expect(isRight(content)).toBe(false);
    expect(() => read(content)).toThrow(expect.objectContaining({ code: expect.stringMatching(/^(config|input-)/) }));
  });

  test("gives every key a title, a description and the default that Firn takes", () => {
    const byDefault = readConfig({ flags: {}, environment: {} });
    for (const [name, property] of Object.entries(schema.properties)) {
      expect(property, name).toMatchObject({ title: expect.stringMatching(/^\S/), description: expect.stringMatching(/^[A-Z].*\.$/) });
      if (property.default === undefined || name === "dataDir") continue;
      const content = { [name]: property.default };
      expect(isRight(content), name).toBe(true);
      expect(read(content)[name as keyof Config], name).toEqual(byDefault[name as keyof Config]);
    }
  });
});
