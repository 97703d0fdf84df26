/** Methods by which tests say when the C-chain makes blocks, of what, and at which price. */
import { both, type CheatMethod, type DevnetOfTests, done } from "./cheat-method.ts";
import { addressOf, flagOf, invalid, whole, wordOf } from "./cheat-params.ts";

const MOST_256 = 2n ** 256n - 1n;
/** a day */
const LONGEST_INTERVAL_S = 86_400n;
const MS = 1000n;

export const miningMethods: readonly (readonly [string, CheatMethod])[] = [
  ...done(["evm_setAutomine", "anvil_setAutomine"], ({ evmControls }, [isOn]) =>
    evmControls.setAutomatic(flagOf(isOn, "the first parameter")),
  ),
  ...done(["evm_setIntervalMining", "anvil_setIntervalMining"], ({ evmControls }, [interval]) =>
    evmControls.setInterval(intervalOf(interval)),
  ),
  ["hardhat_getAutomine", isAutomatic],
  ["anvil_getAutomine", isAutomatic],
  ["anvil_getIntervalMining", async ({ evmControls }) => (evmControls.intervalMs === 0 ? null : evmControls.intervalMs / Number(MS))],
  ...done(both("setNextBlockBaseFeePerGas"), ({ evmControls }, [price]) =>
    evmControls.setNextBaseFee(whole(price, "the base fee in wei per gas", MOST_256)),
  ),
  ["hardhat_dropTransaction", async ({ evmControls }, [hash]) => evmControls.drop({ hash: hashOf(hash) })],
  ["anvil_dropTransaction", async ({ evmControls }, [hash]) => ((await evmControls.drop({ hash: hashOf(hash) })) ? hashOf(hash) : null)],
  ...done(both("dropAllTransactions"), ({ evmControls }) => evmControls.drop()),
  ...done(["anvil_removePoolTransactions"], ({ evmControls }, [sender]) => evmControls.drop({ sender: addressOf(sender) })),
];

async function isAutomatic({ evmControls }: DevnetOfTests): Promise<boolean> {
  return evmControls.isAutomatic;
}

/** Returns milliseconds. Hardhat's clients send these, anvil's send seconds: a number below 1,000 counts seconds. */
function intervalOf(given: unknown): number {
  if (Array.isArray(given)) throw invalid("the interval must be one number; a range is not supported");
  const number = whole(given, "the interval", LONGEST_INTERVAL_S * MS);
  return Number(number < MS ? number * MS : number);
}

function hashOf(given: unknown): string {
  return `0x${wordOf(given, "the hash of the transaction")}`;
}
