/** A process that writes while it has the lease. Arguments: the database's URL, its name. It says `waits …`, `has …`, `wrote …` and `lost …`. */
import { acquired, commitOne, connected, noteTaken } from "./lease-writer.ts";

const [url, name] = process.argv.slice(2) as [string, string];
for (;;) {
  const lease = await acquired(url, name, { onWaiting: ({ holder }) => console.log(`waits ${holder}`) });
  const ended = new AbortController();
  void lease.lost.then(() => ended.abort());
  try {
    const client = await connected(url);
    await noteTaken(client, lease);
    console.log(`has ${lease.fence}`);
    for (let row = 0; !ended.signal.aborted; row++) {
      await commitOne(client, lease, row);
      if (row === 0) console.log(`wrote ${lease.fence}`);
    }
  } catch {
    // it was deposed, or its connection was ended
  }
  await lease.release();
  console.log(`lost ${lease.fence}`);
}
