/** `firn follow` of a primary network in this process. */
import { readConfig } from "../../../src/cli/config.ts";
import { followAndServe } from "../../../src/cli/follow/follow-chains.ts";

export interface Follower {
  readonly url: string;
  stop(): Promise<void>;
}

export async function following(dataDir: string, flags: Record<string, string>): Promise<Follower> {
  const config = readConfig({
    flags: { dataDir, httpPort: "0", workers: "1", logLevel: "silent", healthCheckFrequency: "200ms", ...flags },
    environment: {},
  });
  const stopping = new AbortController();
  let ended: Promise<void> = Promise.resolve();
  const url = await new Promise<string>((resolve, reject) => {
    ended = followAndServe(config, [], stopping.signal, (text) => resolve(/http:\S+/.exec(text)![0]));
    ended.catch(reject);
  });
  return {
    url,
    async stop() {
      stopping.abort();
      await ended;
    },
  };
}
