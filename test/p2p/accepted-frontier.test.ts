import fc from "fast-check";
import { expect, test } from "vitest";
import type { Id, NodeId } from "../../src/base/bytes/id.ts";
import { acceptedFrontier } from "../../src/p2p/accepted-frontier.ts";
import type { PeerNetwork } from "../../src/p2p/peer-network.ts";
import { NoAnswerError, type PeerRequest, type RequestKind } from "../../src/p2p/requests.ts";

const CHAIN = "00".repeat(32);
const id = (n: number): Id => n.toString(16).padStart(64, "0");
const node = (n: number): NodeId => n.toString(16).padStart(40, "0");
const bytes = (text: Id) => Buffer.from(text, "hex");

/** Undefined: it does not answer. */
interface Voter {
  readonly weight: bigint;
  readonly last?: Id | undefined;
  readonly accepts?: readonly Id[] | undefined;
}

function networkOf(voters: readonly Voter[]): Pick<PeerNetwork, "request"> {
  const request = async (nodeId: NodeId, { kind, members }: PeerRequest<RequestKind>) => {
    const voter = voters[Number.parseInt(nodeId, 16)]!;
    if (kind === "getAcceptedFrontier" && voter.last !== undefined) return { containerId: bytes(voter.last) };
    if (kind === "getAccepted" && voter.accepts !== undefined) {
      const asked = (members as { readonly containerIds: readonly Uint8Array[] }).containerIds.map((one) =>
        Buffer.from(one).toString("hex"),
      );
      // it may name what nobody asked for, and what is no ID
      return { containerIds: [...voter.accepts.map(bytes), new Uint8Array(3), ...(asked.length === 0 ? [bytes(id(99))] : [])] };
    }
    throw new NoAnswerError("timeout", "no answer");
  };
  return { request } as Pick<PeerNetwork, "request">;
}

const ask = (voters: readonly Voter[]) =>
  acceptedFrontier(networkOf(voters), CHAIN, new Map(voters.map(({ weight }, n) => [node(n), weight])));

test("a block is accepted if more than half of all weight accepts it, whoever named it", async () => {
  const chain = [id(1), id(2), id(3)];
  const voters: Voter[] = [
    { weight: 1n, last: id(3), accepts: chain },
    { weight: 1n, last: id(2), accepts: chain.slice(0, 2) },
    { weight: 1n, last: id(2), accepts: chain.slice(0, 2) },
    { weight: 1n, last: id(1), accepts: chain.slice(0, 1) },
    { weight: 1n },
  ];
  expect(await ask(voters)).toEqual([
    { containerId: id(1), weight: 4n, voters: 4 },
    { containerId: id(2), weight: 3n, voters: 3 },
  ]);
});

test("those who are silent count against: half is not enough", async () => {
  const honest: Voter = { weight: 10n ** 17n, last: id(1), accepts: [id(1)] };
  expect(await ask([honest, honest, { weight: 10n ** 17n }, { weight: 10n ** 17n }])).toEqual([]);
  expect(await ask([honest, honest, { weight: 10n ** 17n }, { weight: 10n ** 17n - 1n }])).toHaveLength(1);
  expect(await ask([{ weight: 1n }, { weight: 1n }])).toEqual([]);
  expect(await ask([])).toEqual([]);
});

test("less than half of the weight, whatever it says, neither adds a block nor keeps one out that all others accept", async () => {
  const lie = fc.record({
    last: fc.option(fc.nat(5).map(id), { nil: undefined }),
    accepts: fc.option(fc.array(fc.nat(5).map(id)), { nil: undefined }),
  });
  const liars = fc.array(fc.record({ weight: fc.bigInt(1n, 10n), says: lie }), { maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(liars, async (lying) => {
      const weight = lying.reduce((sum, { weight }) => sum + weight, 1n);
      const honest: Voter = { weight, last: id(7), accepts: [id(7)] };
      const found = await ask([honest, ...lying.map(({ weight, says }): Voter => ({ weight, ...says }))]);
      expect(found.map(({ containerId }) => containerId)).toEqual([id(7)]);
    }),
  );
});
