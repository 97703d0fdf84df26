/**
 * Runs attacks one after the other in a process of its own with low priority, because a real attacker has a separate machine and takes
 * little of the server's CPU time.
 */
import { getPriority, setPriority } from "node:os";
import { Attacker, type AttackerOptions } from "./attacker.ts";
import { attacks } from "./attacks.ts";

export interface AttackOrder extends AttackerOptions {
  readonly names: readonly string[];
}

export interface AttackReport {
  readonly tally: Readonly<Record<string, number>>;
  /** what came true that must not */
  readonly problems: readonly string[];
}

const LOWER_PRIORITY = 5;
const LOWEST_PRIORITY = 19;
/** for what is to be sent to be made, and for attacks whose last request is not answered */
const GRACE_MS = 30_000;

process.once("message", async (order: AttackOrder) => {
  setPriority(Math.min(getPriority() + LOWER_PRIORITY, LOWEST_PRIORITY));
  const tally: Record<string, number> = {};
  const problems: string[] = [];
  for (const name of order.names) {
    const attacker = new Attacker(order);
    const attack = attacks.find((known) => known.name === name)!;
    const overdue = new Promise<void>((resolve) => setTimeout(resolve, order.seconds * 1000 + GRACE_MS).unref());
    await Promise.race([attack.run(attacker), overdue]).catch((error: Error) => problems.push(`${name}: ${error.message}`));
    attacker.end();
    for (const [outcome, count] of attacker.tally) tally[outcome] = (tally[outcome] ?? 0) + count;
  }
  const report: AttackReport = { tally, problems };
  process.send!(report, () => process.exit(0));
});
