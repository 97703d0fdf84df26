/** The URL of a started `firn serve`: its first output line is `serving http://…`. */
import type { ChildProcess } from "node:child_process";

export async function listeningUrl(server: ChildProcess): Promise<string> {
  let output = "";
  for await (const chunk of server.stdout!) {
    output += chunk;
    const url = /serving (\S+)/.exec(output)?.[1];
    if (url !== undefined) return url;
  }
  throw new Error("firn serve ended before it listened");
}
