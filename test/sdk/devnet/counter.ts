/** A contract that counts its calls, as a compiler would output it: interface and code. */
import { id } from "ethers";

export const COUNTER_ABI = [
  { type: "function", name: "count", stateMutability: "view", inputs: [], outputs: [{ name: "", type: "uint256" }] },
  { type: "function", name: "increment", stateMutability: "nonpayable", inputs: [], outputs: [] },
  {
    type: "event",
    name: "Incremented",
    anonymous: false,
    inputs: [
      { name: "by", type: "address", indexed: true },
      { name: "count", type: "uint256", indexed: false },
    ],
  },
] as const;

const selector = (signature: string) => id(signature).slice(2, 10);
const [COUNT, INCREMENT] = [selector("count()"), selector("increment()")];
const INCREMENTED = id("Incremented(address,uint256)").slice(2);

/** By the first four bytes of the input; what is neither is refused. */
const RUNTIME = [
  "60003560e01c", // the selector
  `8063${COUNT}14601e57`,
  `63${INCREMENT}14602a57`,
  "60006000fd",
  // 0x1e, count: the slot
  "5b60005460005260206000f3",
  // 0x2a, increment: one more in the slot, and a log of who asked and the new count
  `5b60005460010180600055600052337f${INCREMENTED}60206000a200`,
].join("");
const LENGTH = (RUNTIME.length / 2).toString(16);

/** Copies the code that follows and returns it. */
export const COUNTER_BYTECODE = `0x60${LENGTH}80600b6000396000f3${RUNTIME}` as const;
