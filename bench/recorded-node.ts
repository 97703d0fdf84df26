/**
 * `recorded-node.ts FOLDER index|height`: serves a recording as a node does, in a process of its own, until it is stopped. Prints its URL. With
 * `height` it has no Index API.
 */
import { ReplayNode } from "../test/sources/upstream/replay-node.ts";

const [recording, reading] = process.argv.slice(2) as [string, "index" | "height"];
const node = await ReplayNode.start({ recording });
node.hasIndex = reading === "index";
node.releaseAll();
console.log(node.url);
