/** Multicall3 at the address at which clients look for it: the same on every chain that has it. */
import type { GenesisContract } from "./local-genesis.ts";
import { MULTICALL_CODE } from "./multicall3-bytecode.ts";

export const MULTICALL3: GenesisContract = { address: "ca11bde05977b3631167028862be2a173976ca11", code: MULTICALL_CODE };
