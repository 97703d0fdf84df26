/** `firn peers`, with peers of this process. */
import { afterEach, describe, expect, test } from "vitest";
import { formatId, formatNodeId } from "../../src/base/bytes/cb58.ts";
import { meetingLines, meetPeers, requireMet } from "../../src/cli/meet-peers.ts";
import { systemPeerClock } from "../../src/p2p/peer-clock.ts";
import type { PeerMessage, SentMessage } from "../../src/p2p/wire/message-codec.ts";
import { startPeers, type TestPeers } from "../p2p/peers.ts";

/** No program of a user may listen at this port. */
const NOBODY_LISTENS = "127.0.0.1:1";
const OTHER = "NodeID-3VWnZNViBP2b56QBY7pNJSLzN2rkTyqnK";
const STRANGER = "NodeID-A6onFGyJjA37EZ7kYHANMR1PFRT8NmXrF";
const started: TestPeers[] = [];

/** They have all accepted block 7. */
const serve = ({ case: kind, value }: PeerMessage): SentMessage | undefined => {
  const { chainId, requestId } = value as { readonly chainId: Uint8Array; readonly requestId: number };
  const containerId = new Uint8Array(32).fill(7);
  if (kind === "getAcceptedFrontier") return { case: "acceptedFrontier", value: { chainId, requestId, containerId } };
  return kind === "getAccepted" ? { case: "accepted", value: { chainId, requestId, containerIds: [containerId] } } : undefined;
};

async function start(): Promise<TestPeers> {
  const peers = await startPeers(systemPeerClock, { serve });
  started.push(peers);
  return peers;
}

afterEach(async () => {
  await Promise.all(started.splice(0).map(({ network }) => network.close()));
});

const meet = (options: Partial<Parameters<typeof meetPeers>[0]>) =>
  meetPeers({
    network: "local",
    signal: new AbortController().signal,
    bootstrapIds: [],
    bootstrapIps: [],
    leastVersion: "1.15.0",
    wait: "3600",
    ...options,
  });
const at = ({ port }: TestPeers) => `127.0.0.1:${port}`;
const idOf = ({ identity }: TestPeers) => formatNodeId(identity.nodeId);

describe("firn peers", () => {
  test("says which bootstrappers answer, with their versions, and why the others do not", async () => {
    const [a, named] = [await start(), await start()];
    const meeting = await meet({ bootstrapIds: [idOf(a), OTHER, STRANGER], bootstrapIps: [at(a), NOBODY_LISTENS, at(named)] });
    const [met, unreachable, mistaken] = meeting.bootstrappers;
    expect(met).toEqual({ nodeId: idOf(a), address: at(a), version: "firn/1.15.3" });
    expect(unreachable).toMatchObject({ fault: "unreachable", problem: expect.stringContaining("ECONNREFUSED") });
    expect(mistaken).toMatchObject({ fault: "identity", problem: "its certificate is that of another node than was named" });
    expect(meetingLines(meeting).at(-1)).toMatch(
      /^1 of 3 bootstrappers of local answer; 0 other peers were met, and \d+ addresses are known$/,
    );
    expect(meetingLines(meeting).at(-2)).toBe(
      "there is no block of the P-chain that the majority of the bootstrappers says it has accepted",
    );
    expect(() => requireMet(meeting)).not.toThrow();
  });

  test("says which block of the P-chain the majority of the bootstrappers has accepted", async () => {
    const all = [await start(), await start()];
    const meeting = await meet({ bootstrapIds: [...all.map(idOf), OTHER], bootstrapIps: [...all.map(at), NOBODY_LISTENS] });
    const block = formatId("07".repeat(32));
    expect(meeting.platformTip).toEqual({ containerId: block, bootstrappers: 2 });
    expect(meetingLines(meeting).at(-2)).toBe(`2 of 3 bootstrappers have accepted the P-chain's block ${block}`);
  });

  test.each([
    [
      "another network",
      { network: "fuji" },
      "it is of network 12345, not of network 5",
      "name the network that they are of with --network",
    ],
    [
      "a higher floor",
      { leastVersion: "1.16.0" },
      "its version is firn/1.15.3; the network asks for 1.16.0 or newer",
      "lower the floor with --least-version",
    ],
  ])("says what to do with %s", async (_, options, problem, advice) => {
    const a = await start();
    const meeting = await meet({ bootstrapIds: [idOf(a)], bootstrapIps: [at(a)], ...options });
    expect(meeting.bootstrappers[0]!.problem).toBe(problem);
    expect(() => requireMet(meeting)).toThrow(advice);
  });

  test.each([
    ["no network", { network: undefined }, "the network to meet is not named; use --network mainnet"],
    ["a network without built-in bootstrappers", {}, "network 12345 has no built-in bootstrappers"],
    ["IDs without addresses", { bootstrapIds: [STRANGER] }, "--bootstrap-ids has 1 entries and --bootstrap-ips 0"],
    [
      "an ID that is none",
      { bootstrapIds: ["NodeID-x"], bootstrapIps: ["1.2.3.4:5"] },
      "--bootstrap-ids has NodeID-x; use node IDs such as",
    ],
    ["a host name", { bootstrapIds: [STRANGER], bootstrapIps: ["example.org:9651"] }, "--bootstrap-ips has example.org:9651"],
    ["no port", { bootstrapIds: [STRANGER], bootstrapIps: ["1.2.3.4"] }, "use IP addresses with ports"],
    ["a version that is none", { network: "fuji", leastVersion: "1.15" }, "--least-version is 1.15; use three numbers"],
    ["no time", { network: "fuji", wait: "0" }, "--wait is 0; use 1 to 3600 seconds"],
  ])("refuses %s", async (_, options, sentence) => {
    await expect(meet(options)).rejects.toThrow(sentence);
  });
});
