/** Runs the commands of docs/follow.md as written. As on the page, the network is a devnet. */
import { expect, test } from "vitest";
import { documentedExamples, documentedPattern, documentedRequest, documentedWords } from "../documented.ts";
import { eventually } from "../patience.ts";
import { scratchDirectory } from "../store/scratch.ts";
import { FirnProcess, run } from "./firn.ts";

const NODE = "127.0.0.1:9650";
const FOLLOWER = "127.0.0.1:9660";

test("the commands for a local network do what the page says", async () => {
  const directory = scratchDirectory();
  const devnet = new FirnProcess(["devnet", "--http-port", "0", "--json"]);
  const [, url = ""] = await devnet.printed(/"url":"([^"]+)"/);
  const node = new URL(url).host;
  let follower = FOLLOWER;
  const meant = (text: string) => text.replaceAll(NODE, node).replaceAll(FOLLOWER, follower);
  const shown = (text: string) => text.replaceAll(follower, FOLLOWER).replaceAll(node, NODE).trim();
  const answerOf = async (command: string): Promise<string> => {
    const [program, ...args] = documentedWords(meant(command));
    if (program === "curl") {
      const { url: asked, request } = documentedRequest(meant(command));
      return shown(await (await fetch(asked, request)).text());
    }
    if (args[0] === "follow") {
      const firn = new FirnProcess([...args, "--http-port", "0"], { directory });
      follower = new URL((await firn.printed(/serving (\S+)/))[1]!).host;
      return shown(firn.output);
    }
    return shown(run(args, { environment: { FIRN_URL: url }, directory }).output);
  };
  const examples = documentedExamples("docs/follow.md");
  expect(examples).toHaveLength(6);
  for (const { command, output } of examples) {
    const pattern = documentedPattern(output);
    // what the devnet did is followed about a second later
    const answer = await eventually(async () => {
      const text = await answerOf(command);
      return (!command.startsWith("firn status") || pattern.test(text)) && text;
    });
    if (!pattern.test(answer)) expect(`$ ${command}\n${answer}`).toBe(`$ ${command}\n${output}`);
  }
});
