/**
 * Reads examples from documentation pages: a line `$ command` in a `console` block, followed by its output, where `…` stands for any text.
 */
import { readFileSync } from "node:fs";

export interface Example {
  readonly command: string;
  readonly output: string;
}

/** @param page path from the root of the repository */
export function documentedExamples(page: string): Example[] {
  const text = readFileSync(new URL(`../${page}`, import.meta.url), "utf8");
  return [...text.matchAll(/^```console\n(.*?)^```/gms)].flatMap(([, block]) => examplesOf(block!));
}

function examplesOf(block: string): Example[] {
  return block
    .split(/^\$ /m)
    .slice(1)
    .map((text) => {
      const end = text.indexOf("\n");
      return { command: text.slice(0, end), output: text.slice(end + 1).trim() };
    });
}

/** As much of curl as pages use: `-I`, `-H`, `-d`. */
export function documentedRequest(command: string): { url: string; request: RequestInit } {
  const [program, ...words] = documentedWords(command);
  if (program !== "curl") throw new Error(`${command} is no request`);
  const request = { method: "GET", headers: {} as Record<string, string>, body: undefined as string | undefined };
  let url = "";
  while (words.length > 0) {
    const word = words.shift()!;
    if (word === "-I") request.method = "HEAD";
    else if (word === "-d") Object.assign(request, { method: "POST", body: words.shift()! });
    else if (word === "-H") {
      const [name, value] = words.shift()!.split(": ");
      request.headers[name!] = value!;
    } else url = word;
  }
  const { body, ...rest } = request;
  return { url, request: { ...rest, ...(body !== undefined && { body }) } };
}

export function documentedWords(command: string): string[] {
  return [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare!);
}

/** `…` matches any text, also none; the rest must be there as it stands. */
export function documentedPattern(output: string): RegExp {
  const parts = output.split("…").map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join(".*?")}$`, "s");
}
