/**
 * Scripts that complete commands, flags and their values in a shell. They hold all words, so that a Tab starts no process. Where none fits,
 * the shell completes file names.
 */
import type { Command, Option } from "commander";

export const SHELLS = ["bash", "zsh", "fish"] as const;
type Shell = (typeof SHELLS)[number];

interface Node {
  /** names from the program down, without the program's */
  readonly path: readonly string[];
  readonly command: Command;
}

export function completionScript(program: Command, shell: Shell): string {
  const nodes = nodesBelow(program, []);
  if (shell === "fish") return fishScript(program.name(), nodes);
  const script = bashScript(program.name(), nodes);
  // zsh runs completions of bash
  return shell === "bash" ? script : `autoload -Uz compinit bashcompinit\n(( $+functions[compdef] )) || compinit\nbashcompinit\n${script}`;
}

function nodesBelow(command: Command, path: readonly string[]): Node[] {
  return [{ path, command }, ...command.commands.flatMap((child) => nodesBelow(child, [...path, child.name()]))];
}

const optionsOf = ({ command }: Node): readonly Option[] => command.createHelp().visibleOptions(command);
const takesValue = ({ required, optional }: Option) => required || optional;
/** of a flag such as `--level <full|replay>` */
const valuesOf = ({ flags }: Option) => /[<[](\w+(?:\|\w+)+)[>\]]/.exec(flags)?.[1]?.split("|") ?? [];

/** A command's own commands, or its flags once the word begins with a dash. */
function bashScript(name: string, nodes: readonly Node[]): string {
  const place = ({ path }: Node) => `"${path.map((each) => `/${each}`).join("")}"`;
  const words = nodes.map((node) => {
    const flags = optionsOf(node).map(({ long }) => long);
    return `    ${place(node)}) commands="${node.command.commands.map((child) => child.name()).join(" ")}" flags="${flags.join(" ")}" ;;`;
  });
  const options = new Map(nodes.flatMap(optionsOf).map((option) => [option.long!, option]));
  const values = [...options.values()]
    .filter(takesValue)
    .map((option) => `    ${option.long}) commands="${valuesOf(option).join(" ")}" flags= ;;`);
  return `_${name}() {
  local word place= commands= flags= current="\${COMP_WORDS[COMP_CWORD]}"
  for word in "\${COMP_WORDS[@]:1:$((COMP_CWORD - 1))}"; do
    case "$place/$word" in ${nodes.slice(1).map(place).join("|")}) place="$place/$word" ;; esac
  done
  case "$place" in
${words.join("\n")}
  esac
  case "\${COMP_WORDS[COMP_CWORD-1]}" in
${values.join("\n")}
  esac
  case "$current" in -*) commands="$flags" ;; esac
  COMPREPLY=($(compgen -W "$commands" -- "$current"))
}
complete -o default -F _${name} ${name}`;
}

function fishScript(name: string, nodes: readonly Node[]): string {
  const quoted = (text: string) => `'${text.replace(/['\\]/g, "\\$&")}'`;
  const lines = nodes.flatMap((node) => {
    const within = node.path.map((each) => `__fish_seen_subcommand_from ${each}`);
    const children = node.command.commands.map((child) => child.name());
    const here = children.length === 0 ? within : [...within, `not __fish_seen_subcommand_from ${children.join(" ")}`];
    const line = (rest: string) => `complete -c ${name} -n ${quoted(here.join("; and "))} ${rest}`;
    const commands = node.command.commands.map((child) => line(`-f -a ${child.name()} -d ${quoted(child.description())}`));
    const flags = optionsOf(node).map((option) => {
      const values = valuesOf(option);
      const value = values.length > 0 ? ` -x -a ${quoted(values.join(" "))}` : takesValue(option) ? " -r" : "";
      return line(`-l ${option.long!.slice(2)}${value} -d ${quoted(option.description)}`);
    });
    return [...commands, ...flags];
  });
  return lines.join("\n");
}
