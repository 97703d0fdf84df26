/** Mutants of the messages between peers: each is ignored, or decoded into what its own bytes say again; never does one throw. */

import { FrameReader, frameOf } from "../../src/p2p/wire/frames.ts";
import { decodePeerMessage, encodePeerMessage, type SentMessage } from "../../src/p2p/wire/message-codec.ts";
import { P2pError } from "../../src/p2p/wire/p2p-error.ts";
import { mutate, Random } from "./mutate.ts";

export interface PeerFuzzResult {
  readonly problems: readonly string[];
  readonly decoded: number;
  readonly ignored: number;
}

const chainId = new Uint8Array(32);
const id = (byte: number) => new Uint8Array(32).fill(byte);
const request = { chainId, requestId: 7, deadline: 10_000_000_000n };
const address = {
  certificate: new Uint8Array(300).fill(9),
  ipAddr: id(1).subarray(0, 4),
  ipPort: 9651,
  signingTime: 1n,
  tlsSignature: id(2),
  txId: id(0),
};
const filter = { filter: new Uint8Array(100).fill(1), salt: id(3) };

/** One of each kind, with all of its members. */
const MESSAGES: readonly SentMessage[] = [
  { case: "ping", value: { uptime: 100 } },
  { case: "pong", value: {} },
  {
    case: "handshake",
    value: {
      ...{
        networkId: 1,
        myTime: 1n,
        ipAddr: id(1).subarray(0, 16),
        ipPort: 9651,
        upgradeTime: 2n,
        ipSigningTime: 3n,
        ipTlsSignature: id(4),
      },
      ...{
        trackedSubnets: [id(5)],
        client: { name: "avalanchego", major: 1, minor: 15, patch: 3 },
        supportedAcps: [1, 2, 300],
        objectedAcps: [4],
      },
      ...{ knownPeers: filter, ipBlsSignature: new Uint8Array(96).fill(6), allSubnets: true },
    },
  },
  { case: "peerList", value: { addresses: [address, address] } },
  { case: "getPeerList", value: { knownPeers: filter, allSubnets: true } },
  { case: "getStateSummaryFrontier", value: request },
  { case: "getAcceptedFrontier", value: request },
  { case: "acceptedFrontier", value: { chainId, requestId: 7, containerId: id(8) } },
  { case: "getAccepted", value: { ...request, containerIds: [id(1), id(2)] } },
  { case: "accepted", value: { chainId, requestId: 7, containerIds: [id(1), id(2)] } },
  { case: "getAncestors", value: { ...request, containerId: id(1), engine: 2 } },
  { case: "ancestors", value: { chainId, requestId: 7, containers: [id(1), new Uint8Array(500)] } },
  { case: "get", value: { ...request, containerId: id(1) } },
  { case: "put", value: { chainId, requestId: 7, container: new Uint8Array(200) } },
  { case: "pushQuery", value: { ...request, container: new Uint8Array(200), requestedHeight: 2n ** 63n } },
  { case: "pullQuery", value: { ...request, containerId: id(1), requestedHeight: 5n } },
  {
    case: "chits",
    value: { chainId, requestId: 7, preferredId: id(1), acceptedId: id(2), preferredIdAtHeight: id(3), acceptedHeight: 9n },
  },
  { case: "appRequest", value: { ...request, appBytes: id(1) } },
  { case: "appResponse", value: { chainId, requestId: 7, appBytes: id(1) } },
  { case: "appGossip", value: { chainId, appBytes: id(1) } },
  { case: "appError", value: { chainId, requestId: 7, errorCode: -2, errorMessage: "unregistered handler" } },
];

export function fuzzPeerMessages(count: number, seed: number): PeerFuzzResult {
  const random = new Random(seed);
  const originals = MESSAGES.map(encodePeerMessage);
  const problems: string[] = [];
  let [decoded, ignored] = [0, 0];
  for (let n = 0; n < count; n++) {
    const bytes = mutate(random.of(originals), random);
    try {
      const message = decodePeerMessage(throughFrames(bytes, random));
      if (message === undefined) ignored++;
      else {
        decoded++;
        const again = Buffer.from(encodePeerMessage(message));
        if (!Buffer.from(encodePeerMessage(decodePeerMessage(again)!)).equals(again))
          throw new Error("it is another message once it is written again");
      }
    } catch (error) {
      problems.push(`${bytes.toString("hex")}: ${error instanceof Error ? error.stack : error}`);
    }
  }
  return { problems, decoded, ignored };
}

/** The frame is cut anywhere, and another one follows. */
function throughFrames(bytes: Uint8Array, random: Random): Buffer {
  const reader = new FrameReader();
  const frames = Buffer.concat([frameOf(bytes), frameOf(new Uint8Array(1))]);
  const cut = random.below(frames.length);
  const [first, second, ...more] = [...reader.take(frames.subarray(0, cut)), ...reader.take(frames.subarray(cut))];
  if (first === undefined || second?.length !== 1 || more.length > 0) throw new P2pError("frame", "two frames were not read as two");
  return first;
}
