/** The worker thread of `signatures-ahead.ts`: recovers the signers in memory that it is given. */
import { parentPort } from "node:worker_threads";
import { SharedSignatures } from "./shared-signatures.ts";

parentPort!.on("message", (memory: SharedArrayBuffer) => new SharedSignatures(memory).recoverFree());
