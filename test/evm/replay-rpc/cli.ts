/**
 * Runs a replayed node in a process of its own, for benches: `tsx test/evm/replay-rpc/cli.ts <recording folder> [port]`. Prints its URL and
 * serves until it is killed.
 */
import { startReplayRpc } from "./replay-rpc.ts";

const [recording, port = "0"] = process.argv.slice(2);
if (recording === undefined) throw new Error("name a recording's folder");
const { url } = await startReplayRpc({ recording, port: Number(port) });
console.log(url);
