/** The command line: defines the commands and their options, and prints errors. */
import { Command } from "commander";
import { FirnError } from "../base/errors/errors.ts";
import { refusalOf } from "../base/files/problem.ts";
import { packageJson } from "../base/package-json.ts";
import { terminalText } from "../base/text/terminal-text.ts";
import { isEchoOfFailedCommit } from "../store/failed-commit.ts";
import type { CommandDefinition } from "./command.ts";
import { commands } from "./commands.ts";
import { addCompletion } from "./completion.ts";
import { configKeys, environmentName, readConfig, unreadVariables } from "./config.ts";
import { type Kind, kebab } from "./config-kinds.ts";
import { whenNpmIsGone } from "./parent-watch.ts";
import { complain, complainOfDefect, outliveReaders } from "./print.ts";

const USAGE_EXIT_CODE = 2;

function build(program: Command, definition: CommandDefinition): void {
  const command = groupOf(program, definition).command(definition.usage).description(definition.summary);
  refusesShortly(command, `firn ${[definition.group?.name, command.name()].filter(Boolean).join(" ")}`);
  for (const name of definition.keys) {
    const { kind, help, default: fallback } = configKeys[name] as { kind: Kind<unknown>; help: string; default: unknown };
    const placeholder = placeholderOf(kind);
    const own = definition.defaults?.[name];
    const shown = `${own?.help ?? help}${describeDefault(own?.value ?? fallback, kind)}`;
    command.option(`--${kebab(name)}${placeholder}`, `${shown} [env: ${environmentName(name)}]`);
    if (kind.canBeOff) command.option(`--no-${kebab(name)}`, `turn ${kebab(name)} off`);
  }
  for (const { flags, help, default: fallback } of definition.options ?? []) command.option(flags, help, fallback);
  command.option("--config <file>", "JSON file with any of these keys, in camelCase [env: FIRN_CONFIG]");
  command.addHelpText("after", `\nExamples:\n${definition.examples.map((example) => `  $ firn ${example}`).join("\n")}`);
  command.action(async (...received: unknown[]) => {
    const { config: file, ...flags } = command.opts<Record<string, string>>();
    const defaults = Object.fromEntries(Object.entries(definition.defaults ?? {}).map(([name, { value }]) => [name, value]));
    for (const sentence of unreadVariables(process.env)) complain(`firn: ${sentence}`);
    const config = readConfig({ flags, environment: process.env, file: file ?? process.env.FIRN_CONFIG, defaults });
    await definition.run({ config, args: received.filter((value) => typeof value === "string"), options: flags, signal: interruption() });
  });
}

/** A mistyped flag or command gets one sentence, and perhaps the one that was meant, not a page of help. */
function refusesShortly(command: Command, name: string): Command {
  const writeErr = (text: string) => process.stderr.write(terminalText(text));
  return command.configureOutput({ writeErr }).showHelpAfterError(`${name} --help lists what it takes`).exitOverride();
}

function placeholderOf({ placeholder, isOptional }: Kind<unknown>): string {
  if (placeholder === undefined) return "";
  return isOptional ? ` [${placeholder}]` : ` <${placeholder}>`;
}

function groupOf(program: Command, { group }: CommandDefinition): Command {
  if (group === undefined) return program;
  return (
    program.commands.find((command) => command.name() === group.name) ??
    refusesShortly(program.command(group.name).description(group.summary), `firn ${group.name}`)
  );
}

/** As it is written; none if it is empty, a switch or a list of definitions, of which the help says what they are. */
function describeDefault(fallback: unknown, { write = (value) => value }: Pick<Kind<unknown>, "write">): string {
  const written = fallback === undefined ? undefined : write(fallback);
  const isPlain = typeof written === "number" || ((typeof written === "string" || Array.isArray(written)) && written.length > 0);
  return isPlain ? ` (default: ${written})` : "";
}

const SIGNALS = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

/** The first Ctrl-C, or the end of an npm that runs this, lets the command finish its current work; the second ends the process. */
function interruption(): AbortSignal {
  const controller = new AbortController();
  for (const [name, exitCode] of Object.entries(SIGNALS)) {
    process.on(name, () => {
      if (controller.signal.aborted) process.exit(exitCode);
      controller.abort();
    });
  }
  whenNpmIsGone(() => controller.abort());
  return controller.signal;
}

async function main(): Promise<void> {
  const { version, description } = packageJson();
  const program = refusesShortly(new Command("firn").description(description).version(version), "firn");
  for (const definition of commands) build(program, definition);
  addCompletion(program);
  program.addHelpText("after", `\nExamples:\n${commands.map(({ examples }) => `  $ firn ${examples[0]}`).join("\n")}`);
  try {
    await program.parseAsync();
  } catch (error) {
    process.exitCode = tell(error);
  }
}

/** Expected errors and refusals of the operating system are printed as one line; others are defects and include a stack trace. */
function tell(error: unknown): number {
  if (error instanceof Error && "exitCode" in error) return error.exitCode === 0 ? 0 : USAGE_EXIT_CODE;
  if (!(error instanceof FirnError)) {
    const refusal = refusalOf(error);
    if (refusal === undefined) complainOfDefect(error);
    else complain(`firn: ${refusal}`);
    return 1;
  }
  complain(`firn: ${error.message}`);
  return error.meaning.isUsage ? USAGE_EXIT_CODE : 1;
}

outliveReaders();
// who asked for the commit was told; everything else ends the process, as it does without this
process.on("unhandledRejection", (reason) => {
  if (!isEchoOfFailedCommit(reason)) throw reason;
});
await main();
