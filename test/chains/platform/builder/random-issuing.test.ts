import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { IssuingWorld, START, smallNetwork, until } from "./issuing-world.ts";
import { type Choice, RandomTransactions } from "./random-transactions.ts";

const ERAS = {
  cortina: { times: until("durango"), accepted: ["AddValidatorTx", "CreateChainTx", "AddPermissionlessValidatorTx", "ImportTx"] },
  durango: { times: until("etna"), accepted: ["BaseTx", "TransferSubnetOwnershipTx", "AddPermissionlessDelegatorTx", "ExportTx"] },
  etna: { times: until("granite"), accepted: ["ConvertSubnetToL1Tx", "IncreaseL1ValidatorBalanceTx", "DisableL1ValidatorTx"] },
  helicon: { times: {}, accepted: ["AddAutoRenewedValidatorTx", "SetAutoRenewedValidatorConfigTx", "ConvertSubnetToL1Tx"] },
  "cortina to helicon": {
    times: { ...until("durango", START + 60n), ...until("etna", START + 120n), ...until("granite", START + 200n) },
    accepted: ["CreateSubnetTx"],
  },
};

const choice: fc.Arbitrary<Choice> = fc.record({
  kind: fc.nat(RandomTransactions.kinds - 1),
  coin: fc.nat(1000),
  subject: fc.nat(20),
  seconds: fc.nat(1000),
  fee: fc.nat(1000),
});
/** Transactions, and between them seconds that pass. */
const steps = fc.array(fc.oneof({ weight: 8, arbitrary: choice }, { weight: 1, arbitrary: fc.nat(40) }), { minLength: 30, maxLength: 120 });

describe.each(Object.entries(ERAS))("issued in the era of %s", (_, { times, accepted }) => {
  const network = smallNetwork(times);

  test("whatever was admitted makes blocks that execute, read what was asked for, and leave nothing waiting for ever", () => {
    const kinds = new Set<string>();
    const property = fc.property(steps, (taken) => {
      const world = new IssuingWorld(network);
      const admitted = run(world, taken);
      for (const { id, kind } of admitted) {
        if (world.accepted.has(id)) kinds.add(kind);
        else expect(world.issuer.status(id)?.kind).toBe("dropped");
      }
      for (const kind of world.blockKinds.keys()) kinds.add(kind);
    });
    fc.assert(property, { numRuns: 30, seed: 1 });
    const blocks = ["BanffStandardBlock", "BanffProposalBlock", "BanffCommitBlock", "BanffAbortBlock"];
    for (const kind of [...blocks, ...accepted]) expect(kinds).toContain(kind);
  });
});

function run(world: IssuingWorld, taken: readonly (Choice | number)[]): { id: string; kind: string }[] {
  const transactions = new RandomTransactions(world);
  const admitted: { id: string; kind: string }[] = [];
  world.walk(START + 30n);
  for (const step of taken) {
    if (typeof step === "number") {
      world.prefersCommit = step % 3 !== 0;
      world.walk(world.clock + BigInt(step));
      continue;
    }
    const tx = transactions.make(step);
    if (tx === undefined || world.issue(tx) !== undefined) continue;
    expect(world.issuer.status(tx.id)).toEqual({ kind: "processing" });
    transactions.admitted(tx, step);
    admitted.push({ id: tx.id, kind: tx.unsigned.kind });
  }
  world.walk(world.clock + 120n);
  return admitted;
}
