import { writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { type ConfigInput, configNames, environmentName, readConfig, unreadVariables } from "../../src/cli/config.ts";
import { storeReplicas } from "../../src/cli/store/store-place.ts";
import { scratchDirectory } from "../store/scratch.ts";

function read(input: Partial<ConfigInput>) {
  return readConfig({ flags: {}, environment: {}, ...input });
}

function fileWith(content: string): string {
  const file = join(scratchDirectory(), "firn.json");
  writeFileSync(file, content);
  return file;
}

describe("configuration", () => {
  test("takes flags before environment before file before defaults", () => {
    const file = fileWith('{ "httpPort": 1, "httpHost": "file", "level": "replay" }');
    const environment = { FIRN_HTTP_PORT: "2", FIRN_HTTP_HOST: "environment" };
    const config = read({ file, environment, flags: { httpPort: "3" } });
    expect(config).toMatchObject({ httpPort: 3, httpHost: "environment", level: "replay", dataDir: ".firn" });
  });

  test("reads every kind as flags write it", () => {
    const flags = {
      until: "P=120,X=45",
      level: "replay",
      httpAllowedHosts: "a.org,b.org",
      time: "1764000000",
      public: true,
      healthCheckFrequency: "1.5s",
      workers: "2",
    };
    expect(read({ flags })).toMatchObject({
      until: new Map([
        ["P", 120n],
        ["X", 45n],
      ]),
      level: "replay",
      httpAllowedHosts: ["a.org", "b.org"],
      time: 1_764_000_000n,
      public: true,
      healthCheckFrequency: 1500,
      workers: 2,
    });
  });

  test("reads every kind as a file writes it", () => {
    const file = fileWith('{ "until": { "P": 7 }, "httpAllowedHosts": ["*"], "time": 5, "public": false, "healthCheckFrequency": "2m" }');
    expect(read({ file })).toMatchObject({
      until: new Map([["P", 7n]]),
      httpAllowedHosts: ["*"],
      time: 5n,
      public: false,
      healthCheckFrequency: 120_000,
    });
  });

  test.each([
    [{ flags: { httpPort: "70000" } }, '--http-port is "70000"; use a whole number from 0 to 65535'],
    [{ environment: { FIRN_LEVEL: "half" } }, 'FIRN_LEVEL is "half"; use full or replay'],
    [{ flags: { until: "P120" } }, '--until is "P120"; use heights such as P=120,X=45,C=30'],
    [{ flags: { until: "P=-1" } }, '--until is "P=-1"; use heights such as P=120,X=45,C=30'],
    [{ flags: { healthCheckFrequency: "0s" } }, '--health-check-frequency is "0s"; use a duration such as 30s, 500ms or 2m, of up to 500h'],
    [
      { flags: { healthCheckFrequency: "501h" } },
      '--health-check-frequency is "501h"; use a duration such as 30s, 500ms or 2m, of up to 500h',
    ],
    [{ environment: { FIRN_WORKERS: "99999999" } }, 'FIRN_WORKERS is "99999999"; use a whole number from 1 to 1024'],
    [{ flags: { time: "99999999999999999999" } }, '--time is "99999999999999999999"; use Unix seconds, e.g. 1764000000'],
    [{ environment: { FIRN_BATCH_BLOCKS: "0" } }, 'FIRN_BATCH_BLOCKS is "0"; use a whole number from 1 on'],
  ])("names the key, what was wrong and what would be right: %j", (input, message) => {
    expect(() => read(input)).toThrow(expect.objectContaining({ code: "config", message }));
  });

  test("takes paths in a file as relative to it, and those of flags and the environment as they are", () => {
    const paths = { dataDir: "data", genesis: "../genesis.json", networkFile: "/network.json", evm: "bin/anvil" };
    const file = fileWith(JSON.stringify(paths));
    const of = (path: string) => resolve(dirname(file), path);
    expect(read({ file })).toMatchObject({
      dataDir: of("data"),
      genesis: of("../genesis.json"),
      networkFile: "/network.json",
      evm: of("bin/anvil"),
    });
    expect(read({ file, flags: { dataDir: "data" }, environment: { FIRN_EVM: "anvil" } })).toMatchObject({ dataDir: "data", evm: "anvil" });
    expect(read({ file: fileWith('{ "evm": false }') }).evm).toBe(false);
  });

  test("takes the paths of a chain's files as relative to the file that names them", () => {
    const chains = [{ rpc: ["http://a/"], files: { tokenList: "tokens.json", prices: "/prices.json", abis: ["abis/a.json"] } }];
    const file = fileWith(JSON.stringify({ chains }));
    const directory = dirname(file);
    const files = { tokenList: join(directory, "tokens.json"), prices: "/prices.json", abis: [join(directory, "abis/a.json")] };
    expect(read({ file }).chains).toMatchObject([{ files }]);
    expect(read({ flags: { chains: JSON.stringify(chains) } }).chains).toMatchObject([{ files: { tokenList: resolve("tokens.json") } }]);
  });

  test("names file and key of a wrong value, an unknown key and a file that is no JSON", () => {
    const wrong = fileWith('{ "workers": "many" }');
    expect(() => read({ file: wrong })).toThrow(`workers in ${wrong} is "many"; use a whole number from 1 to 1024`);
    expect(() => read({ file: fileWith('{ "http-port": 1 }') })).toThrow(/unknown key http-port; did you mean httpPort\?$/);
    expect(() => read({ file: fileWith('{ "colour": 1 }') })).toThrow(/unknown key colour; docs\/configuration\.md lists all keys$/);
    expect(() => read({ file: fileWith('{ "limits": { "bodyBytes": "lots" } }') })).toThrow(
      /limits in .*firn\.json has bodyBytes "lots"; use a/,
    );
    expect(() => read({ file: fileWith("{") })).toThrow(/cannot be read as configuration/);
    expect(() => read({ file: "/nowhere/firn.json" })).toThrow(/\/nowhere\/firn\.json cannot be read/);
  });

  test("reads replicas from a list or a text, and shows no password of one that is wrong", () => {
    const [one, two] = ["postgres://firn@db2/firn", "postgresql://firn:secret@db3:5433/firn?sslmode=require"];
    expect(read({ flags: { storeReplica: `${one},${two}` } }).storeReplica).toEqual([one, two]);
    expect(read({ file: fileWith(JSON.stringify({ storeReplica: [one, two] })) }).storeReplica).toEqual([one, two]);
    expect(read({}).storeReplica).toEqual([]);
    const wrong = () => read({ environment: { FIRN_STORE_REPLICA: `${one},postgres://firn:sec/ret@db3` } });
    expect(wrong).toThrow('FIRN_STORE_REPLICA is "…@db3"; use URLs of databases');
    expect(() => storeReplicas(read({ flags: { storeReplica: one } }))).toThrow("storeReplica is given without store; use --store");
  });

  test("shows no password of a URL that is mistyped, wherever that was given", () => {
    for (const url of ["postgres:/firn:secret@db/firn", "firn:secret@db", "postgre://firn:sec@ret@db", "postgres://firn:secret@"]) {
      const file = fileWith(JSON.stringify({ store: url }));
      const places = [
        { flags: { store: url } },
        { environment: { FIRN_STORE: url } },
        { file },
        { flags: { storeReplica: url } },
        { flags: { dataDir: url } },
      ];
      for (const place of [...places, { flags: { rpc: url } }, { flags: { chains: JSON.stringify([{ rpc: url }]) } }]) {
        let message = "";
        expect(() => {
          try {
            read(place);
          } catch (error) {
            message = (error as Error).message;
            throw error;
          }
        }).toThrow("; use ");
        expect(message).not.toMatch(/sec|ret@/);
      }
    }
  });

  test("says which variables look like settings and are none", () => {
    const environment = {
      FIRN_HTTP_PROT: "1",
      FIRN_DATADIR: "a",
      FIRN_PORT_9650_TCP: "tcp://10.0.0.1:9650",
      FIRN_HTTP_PORT: "1",
      PATH: "/bin",
    };
    expect(unreadVariables({ ...environment, FIRN_TEST_SEED: "1", FIRN_CONFIG: "firn.json" })).toEqual([
      "the environment variable FIRN_HTTP_PROT is no setting and is ignored; did you mean FIRN_HTTP_PORT?",
      "the environment variable FIRN_DATADIR is no setting and is ignored; did you mean FIRN_DATA_DIR?",
      "the environment variable FIRN_PORT_9650_TCP is no setting and is ignored",
    ]);
  });

  test("gives every key an environment variable of its own", () => {
    const variables = configNames().map(environmentName);
    expect(new Set(variables).size).toBe(variables.length);
    expect(variables).toContain("FIRN_HEALTH_CHECK_FREQUENCY");
  });
});
