/** AVAX is neither created nor lost, whatever is done to a devnet in whatever order. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FirnError } from "../../src/base/errors/errors.ts";
import { avaxOf } from "./conservation.ts";
import { Actor } from "./conservation-actor.ts";
import { DAY, startNetwork } from "./engine-network.ts";

const NODE = "f29bce5f34a74301eb0de716d5194e4a4aea5d7a";
const DIRECTIONS = [
  ["P", "X"],
  ["P", "C"],
  ["X", "P"],
  ["X", "C"],
  ["C", "P"],
  ["C", "X"],
] as const;

type Operation =
  | { kind: "pay"; chain: "P" | "X" }
  | { kind: "pay-in-evm"; nAvax: bigint }
  | { kind: "export" | "import"; direction: (typeof DIRECTIONS)[number] }
  | { kind: "delegate" | "advance"; days: bigint }
  | { kind: "uptime"; millionths: number }
  | { kind: "snapshot" | "revert" | "mine" | "restart" };

const operation: fc.Arbitrary<Operation> = fc.oneof(
  fc.record({ kind: fc.constant("pay" as const), chain: fc.constantFrom("P" as const, "X" as const) }),
  fc.record({ kind: fc.constant("pay-in-evm" as const), nAvax: fc.bigInt(1n, 10n ** 12n) }),
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constantFrom("export" as const, "import" as const), direction: fc.constantFrom(...DIRECTIONS) }),
  },
  fc.record({ kind: fc.constantFrom("delegate" as const, "advance" as const), days: fc.bigInt(1n, 120n) }),
  fc.record({ kind: fc.constant("uptime" as const), millionths: fc.nat(1_000_000) }),
  fc.record({ kind: fc.constantFrom("snapshot" as const, "revert" as const, "mine" as const, "restart" as const) }),
);

/** What a block costs, and how C counts, is another matter in each. */
const era = fc.constantFrom("helicon", "etna,fortuna=+20d,granite=+40d,helicon=+60d", "fortuna", "etna", "cortina");

/** A network and an actor that a test does things with. */
class Scene {
  readonly #started: Awaited<ReturnType<typeof startNetwork>>;
  readonly #actor: Actor;
  readonly #upgrades: string;

  private constructor(started: Awaited<ReturnType<typeof startNetwork>>, actor: Actor, upgrades: string) {
    this.#started = started;
    this.#actor = actor;
    this.#upgrades = upgrades;
  }

  static async open(upgrades: string): Promise<Scene> {
    const started = await startNetwork({ upgrades }, { evm: {} });
    const actor = new Actor(started.devnet);
    await actor.begin();
    return new Scene(started, actor, upgrades);
  }

  get devnet() {
    return this.#actor.devnet;
  }

  /** What a chain refuses changes nothing either. */
  async tryTo(what: Operation): Promise<void> {
    await this.do(what).catch((error: unknown) => {
      if (!(error instanceof FirnError)) throw error;
    });
  }

  async do(what: Operation): Promise<unknown> {
    const { devnet } = this;
    switch (what.kind) {
      case "pay":
        return this.#actor.pay(what.chain);
      case "pay-in-evm":
        return this.#actor.payInEvm(what.nAvax);
      case "export":
        return this.#actor.export(what.direction[0], what.direction[1]);
      case "import":
        return this.#actor.import(what.direction[0], what.direction[1]);
      case "delegate":
        return this.#actor.delegate(what.days);
      case "advance":
        return devnet.advanceTime(what.days * DAY);
      case "uptime":
        return devnet.setUptime(NODE, what.millionths);
      case "snapshot":
        return devnet.snapshot();
      case "revert":
        return devnet.revert((await devnet.snapshots()).at(-1)?.id ?? "none");
      case "mine":
        return devnet.mine();
      case "restart":
        return this.#restart();
    }
  }

  async #restart(): Promise<void> {
    const { directory, wallClock } = this.#started;
    await this.devnet.stop();
    this.#actor.devnet = (await startNetwork({ directory, wallClock, upgrades: this.#upgrades }, { evm: {} })).devnet;
  }
}

describe("all AVAX together", () => {
  test("is the same after everything that can be done, of which nothing is refused", async () => {
    const scene = await Scene.open("helicon");
    const { total } = await avaxOf(scene.devnet);
    await scene.do({ kind: "snapshot" });
    for (const direction of DIRECTIONS) expect(await scene.do({ kind: "export", direction })).toBe(true);
    for (const direction of DIRECTIONS) expect(await scene.do({ kind: "import", direction })).toBe(true);
    for (const chain of ["P", "X"] as const) expect(await scene.do({ kind: "pay", chain })).toBe(true);
    await scene.do({ kind: "pay-in-evm", nAvax: 7n });
    expect(await scene.do({ kind: "delegate", days: 30n })).toBe(true);
    const moved = await avaxOf(scene.devnet);
    expect(moved.total).toBe(total);
    expect(moved.parts.stake).toBeGreaterThan(0n);
    await scene.do({ kind: "advance", days: 60n });
    const rewarded = await avaxOf(scene.devnet);
    expect(rewarded.total).toBe(total);
    expect(rewarded.parts.minted).toBeLessThan(0n);
    await scene.do({ kind: "restart" });
    expect(await avaxOf(scene.devnet)).toEqual(rewarded);
    await scene.do({ kind: "revert" });
    expect((await avaxOf(scene.devnet)).total).toBe(total);
  });

  test("is the same after anything in any order", async () => {
    await fc.assert(
      fc.asyncProperty(era, fc.array(operation, { minLength: 4, maxLength: 16 }), async (upgrades, operations) => {
        const scene = await Scene.open(upgrades);
        const { total } = await avaxOf(scene.devnet);
        for (const one of operations) {
          await scene.tryTo(one);
          expect((await avaxOf(scene.devnet)).total).toBe(total);
        }
        await scene.devnet.stop();
      }),
      { numRuns: Number(process.env.FIRN_CONSERVATION_RUNS ?? 3) },
    );
  });
});
