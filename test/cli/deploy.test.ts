/** The files of `deploy/`: they parse, name each other as they are, and start Firn with commands and keys that it has. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { commands } from "../../src/cli/commands.ts";
import { configNames, environmentName, readConfig } from "../../src/cli/config.ts";
import { kebab } from "../../src/cli/config-kinds.ts";
import { recordingFolder } from "../conformance/recordings.ts";
import { ReplayNode } from "../sources/upstream/replay-node.ts";
import { scratchDirectory } from "../store/scratch.ts";
import { FirnProcess } from "./firn.ts";

const folder = fileURLToPath(new URL("../../deploy", import.meta.url));
const read = (name: string): string => readFileSync(join(folder, name), "utf8");

/** The keys that a command is given: as flags, and as variables of the environment. */
function expectKeys(words: readonly string[], environment: Readonly<Record<string, string>> = {}): void {
  const command = commands.find(({ usage, group }) => group === undefined && usage.split(" ")[0] === words[0]);
  const known = new Set<string>(["--config", ...(command?.keys ?? []).map((name) => `--${kebab(name)}`)]);
  expect(words.filter((word) => word.startsWith("--") && !known.has(word))).toEqual([]);
  const variables = configNames()
    .filter((name) => command?.keys.includes(name))
    .map(environmentName);
  expect(Object.keys(environment).filter((name) => !variables.includes(name))).toEqual([]);
}

const UNITS = ["firn.service", "firn-ingest.service", "firn-serve.service"];

test.each(UNITS)("%s starts a command with keys that it has, and its comment shows a configuration that Firn reads", (name) => {
  const unit = read(name);
  const [program, ...words] = /^ExecStart=(.*)$/m.exec(unit)![1]!.split(" ");
  expect(basename(program!)).toBe("firn");
  expectKeys(words);
  // where systemd lets it write
  expect(words.at(-1)).toBe(join("/var/lib", /^StateDirectory=(.*)$/m.exec(unit)![1]!));
  const shown = JSON.parse(/\{.*\}/.exec(unit)![0]) as Record<string, unknown>;
  for (const key of Object.keys(shown)) expect(configNames()).toContain(key);
});

/** A unit's command line, below another root. */
function startUnit(name: string, root: string): FirnProcess {
  const [, ...words] = /^ExecStart=(.*)$/m.exec(read(name))![1]!.split(" ");
  const args = words.map((word) => (word.startsWith("/") ? join(root, word) : word));
  return new FirnProcess(args, { environment: { FIRN_HTTP_PORT: "0" } });
}

test("the command lines of the units follow and serve what their configuration names, in one process and in two", async () => {
  const recording = recordingFolder("live-1");
  const node = await ReplayNode.start({ recording, released: { P: 3n } });
  const root = scratchDirectory();
  mkdirSync(join(root, "etc/firn"), { recursive: true });
  const configuration = { network: join(recording, "network.json"), upstream: [node.url] };
  writeFileSync(join(root, "etc/firn/firn.json"), JSON.stringify(configuration));
  const isThere = async (process: FirnProcess) => {
    const [, url] = await process.printed(/serving (\S+)/);
    await expect.poll(async () => (await fetch(`${url}/ext/metrics`)).text()).toContain('firn_chain_height_blocks{chain="P"} 3\n');
    return url!;
  };
  try {
    const whole = startUnit("firn.service", root);
    await isThere(whole);
    expect(await whole.end("SIGTERM")).toBe(0);
    rmSync(join(root, "var"), { recursive: true });
    const early = startUnit("firn-serve.service", root);
    expect(await early.exitCode()).toBe(1);
    expect(early.error).toMatch(/^firn: there is no store in .*\n$/);
    const ingest = startUnit("firn-ingest.service", root);
    await ingest.printed(/following into/);
    const serve = startUnit("firn-serve.service", root);
    await isThere(serve);
    expect([await ingest.end("SIGTERM"), await serve.end("SIGTERM")]).toEqual([0, 0]);
  } finally {
    await node.stop();
  }
});

/** Runs a program of another project; the test is skipped where it is not installed. */
function checked(skip: (note: string) => void, program: string, ...args: string[]): { status: number | null; text: string } {
  const { status, stdout, stderr, error } = spawnSync(program, args, { encoding: "utf8" });
  if (error !== undefined) skip(`${program} is not installed here`);
  return { status, text: stdout + stderr };
}

test("systemd has nothing to say against the units", ({ skip }) => {
  const root = scratchDirectory();
  // the program is not where the units say that it is
  for (const name of UNITS) writeFileSync(join(root, name), read(name).replace("/usr/local/bin/firn", "/bin/true"));
  const { status, text } = checked(skip, "systemd-analyze", "verify", ...UNITS.map((name) => join(root, name)));
  expect({ status, said: text.split("\n").filter((line) => line.includes("firn")) }).toEqual({ status: 0, said: [] });
});

test("Prometheus has nothing to say against its configuration and the rules", ({ skip }) => {
  const { status, text } = checked(skip, "promtool", "check", "config", join(folder, "prometheus.yml"));
  expect(status, text).toBe(0);
  expect(text).toContain("rules found");
});

test("the services of compose start Firn with keys that it has, and mount files that are there", () => {
  const { services, configs, volumes } = parse(read("docker-compose.yml"));
  expectKeys(services.firn.command, services.firn.environment);
  const environment = { FIRN_NETWORK: "local", FIRN_UPSTREAM: "http://host.docker.internal:9650", FIRN_HTTP_PORT: "9650" };
  expect(Object.keys(services.firn.environment)).toEqual(Object.keys(environment));
  const { network, upstream, httpPort } = readConfig({ flags: {}, environment });
  expect({ network, upstream, httpPort }).toEqual({ network: "local", upstream: [environment.FIRN_UPSTREAM], httpPort: 9650 });
  const mounts = Object.values<{ volumes: string[] }>(services).flatMap((service) =>
    service.volumes.map((volume) => volume.split(":")[0]!),
  );
  for (const mount of mounts) expect(mount.startsWith("./") ? existsSync(join(folder, mount)) : mount in volumes, mount).toBe(true);
  for (const { source } of services.grafana.configs) expect(parse(configs[source].content).apiVersion).toBe(1);
});

test("Prometheus asks Firn where compose runs it, and Grafana's dashboard asks the Prometheus that compose names", () => {
  const { rule_files, scrape_configs } = parse(read("prometheus.yml"));
  const { services, configs } = parse(read("docker-compose.yml"));
  const [{ metrics_path, static_configs }] = scrape_configs;
  expect([metrics_path, static_configs[0].targets]).toEqual(["/ext/metrics", [`firn:${services.firn.environment.FIRN_HTTP_PORT}`]]);
  for (const file of rule_files) {
    const rules = parse(read(file)).groups.flatMap(({ rules }: { rules: { alert: string }[] }) => rules);
    expect(new Set(rules.map(({ alert }: { alert: string }) => alert)).size).toBe(rules.length);
    for (const { expr, annotations } of rules) expect([typeof expr, typeof annotations.summary]).toEqual(["string", "string"]);
  }
  const { uid } = parse(configs.datasource.content).datasources[0];
  const { panels } = JSON.parse(read("grafana-dashboard.json")) as { panels: { datasource: { uid: string }; targets: unknown[] }[] };
  for (const panel of panels) expect([panel.datasource.uid, panel.targets.length > 0]).toEqual([uid, true]);
});
