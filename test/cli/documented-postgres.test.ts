/** Runs the commands of docs/store-postgres.md in their order, for a network that is a devnet, as the page's roles. */
import { readFileSync } from "node:fs";
import { Client } from "pg";
import { describe, expect, onTestFinished, test } from "vitest";
import { documentedExamples, documentedPattern, documentedRequest, documentedWords } from "../documented.ts";
import { eventually } from "../patience.ts";
import { hasPostgres, skipReason } from "../postgres/binaries.ts";
import { scratchDatabase, scratchRole } from "../postgres/scratch-database.ts";
import { scratchDirectory } from "../store/scratch.ts";
import { FirnProcess, run } from "./firn.ts";

const PAGE = "docs/store-postgres.md";
const [NODE, SERVER, STORE] = ["127.0.0.1:9650", "127.0.0.1:9660", "postgres://firn@127.0.0.1/firn"];
const PASSWORD = "a secret";
const [role, grants, ...queries] = [...readFileSync(PAGE, "utf8").matchAll(/```sql\n([\s\S]*?)```/g)].map(([, sql]) => sql!);

async function connected(url: string): Promise<Client> {
  const client = new Client(url);
  // the database is dropped before this client ends
  client.on("error", () => {});
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

describe.skipIf(!hasPostgres)(`a store in PostgreSQL${skipReason}`, () => {
  test("is made, served, and read by analysts with the commands of its page", async () => {
    const devnet = new FirnProcess(["devnet", "--http-port", "0", "--json"]);
    const node = new URL((await devnet.printed(/"url":"([^"]+)"/))[1]!).host;
    // createuser and createdb, which the package with PostgreSQL's programs lacks
    const [database, owner] = [await scratchDatabase(), await scratchRole(PASSWORD)];
    const superuser = await connected(database.url);
    await superuser.query(`ALTER DATABASE "${database.name}" OWNER TO "${owner}"`);
    const store = `postgres://${owner}@127.0.0.1:${database.port}/${database.name}`;
    let server = SERVER;
    const ofStore = (text: string) => text.replaceAll(STORE, store).replaceAll(/postgres:\/\/firn@db\d\/firn/g, store);
    const meant = (text: string) => ofStore(text).replaceAll(SERVER, server).replaceAll(`http://${NODE}`, `http://${node}`);
    const shown = (text: string) => text.replaceAll(server, SERVER).replaceAll(store, STORE).trim();
    const options = { environment: { PGPASSWORD: PASSWORD }, directory: scratchDirectory() };

    const answerOf = async (command: string): Promise<string> => {
      const [program, ...args] = documentedWords(meant(command));
      if (program === "curl") {
        const { url, request } = documentedRequest(meant(command));
        return shown(await (await fetch(url, request)).text());
      }
      if (args[0] === "ingest") {
        const firn = new FirnProcess(args, options);
        await firn.printed(/^following into .*\n/);
        return shown(firn.output);
      }
      if (args[0] === "serve") {
        // a free port, in place of the page's
        const firn = new FirnProcess(
          [...args.filter((word, i) => word !== "--http-port" && args[i - 1] !== "--http-port"), "--http-port", "0"],
          options,
        );
        const host = new URL((await firn.printed(/serving (\S+)/))[1]!).host;
        if (args.includes("--store-replica")) return shown(firn.output).replaceAll(host, NODE);
        server = host;
        return shown(firn.output);
      }
      const { output, error, exitCode } = run(args, options);
      expect({ exitCode, error }, command).toEqual({ exitCode: 0, error: "" });
      return shown(output);
    };

    const examples = documentedExamples(PAGE);
    expect(examples.map(({ command }) => command.split(" ").slice(0, 2).join(" "))).toEqual([
      "firn ingest",
      "firn serve",
      "curl -H",
      "firn status",
      "firn serve",
    ]);
    for (const { command, output } of examples) {
      const pattern = documentedPattern(output);
      // what the network has is there about a second later
      const answer = await eventually(async () => {
        const text = await answerOf(command);
        return (!command.startsWith("curl") || pattern.test(text)) && text;
      });
      if (!pattern.test(answer)) expect(`$ ${command}\n${answer}`).toBe(`$ ${command}\n${output}`);
    }

    const analyst = await scratchRole();
    await superuser.query(role!.replace(/CREATE ROLE .*\n/, "").replaceAll("analyst", analyst));
    const granting = await connected(store.replace("@", `:${encodeURIComponent(PASSWORD)}@`));
    await expect(granting.query(`CREATE ROLE ${analyst}_2`)).rejects.toThrow("permission denied");
    await granting.query(grants!.replaceAll("analyst", analyst));
    const reading = await connected(store.replace(`${owner}@`, `${analyst}@`));
    for (const query of queries) await reading.query(query);
    await expect(reading.query("DELETE FROM firn.blocks")).rejects.toThrow("read-only transaction");
  });
});
