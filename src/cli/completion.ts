/** `firn completion`: made from all other commands, so it is added to the program itself. */
import type { Command } from "commander";
import { print } from "./print.ts";

export function addCompletion(program: Command): void {
  const command = program.command("completion").description("print a script that completes commands and flags in bash, zsh or fish");
  command.argument("<shell>", "bash, zsh or fish").exitOverride();
  command.addHelpText(
    "after",
    "\nExamples:\n  $ echo 'source <(firn completion bash)' >> ~/.bashrc\n  $ echo 'source <(firn completion zsh)' >> ~/.zshrc\n  $ firn completion fish > ~/.config/fish/completions/firn.fish",
  );
  command.action(async (shell: string) => {
    const { completionScript, SHELLS } = await import("./completion-scripts.ts");
    const known = SHELLS.find((each) => each === shell);
    if (known === undefined) return command.error(`error: there is no script for ${shell}; use ${SHELLS.join(", ")}`);
    print(completionScript(program, known));
  });
}
