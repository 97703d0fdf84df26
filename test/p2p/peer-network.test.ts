/** Peers over real TLS on the loopback address; time stands still until a test moves it. */
import { afterEach, describe, expect, test } from "vitest";
import type { PeerNetworkOptions } from "../../src/p2p/peer-network.ts";
import { MAX_FRAME_BYTES } from "../../src/p2p/wire/frames.ts";
import type { MessageOf, SentMessage } from "../../src/p2p/wire/message-codec.ts";
import { P2pError } from "../../src/p2p/wire/p2p-error.ts";
import { eventually } from "../patience.ts";
import { beaconOf, ManualClock, makeIdentity, RawPeer, startPeers, type TestPeers } from "./peers.ts";

const P_CHAIN = "00".repeat(32);
const started: TestPeers[] = [];
const raw: RawPeer[] = [];
let clock = new ManualClock();

async function start(options: Partial<PeerNetworkOptions> = {}): Promise<TestPeers> {
  const peers = await startPeers(clock, options);
  started.push(peers);
  return peers;
}

async function connectRaw(to: TestPeers, identity = makeIdentity()): Promise<RawPeer> {
  const peer = await RawPeer.connect(to.port, identity);
  raw.push(peer);
  return peer;
}

afterEach(async () => {
  for (const peer of raw.splice(0)) peer.close();
  await Promise.all(started.splice(0).map(({ network }) => network.close()));
  clock = new ManualClock();
});

const areConnected = (a: TestPeers, b: TestPeers) => a.network.isConnected(b.identity.nodeId) && b.network.isConnected(a.identity.nodeId);

describe("peers", () => {
  test("introduce themselves, ask, and are answered", async () => {
    const a = await start({
      serve: (request) => {
        if (request.case !== "getAcceptedFrontier") return undefined;
        const { chainId, requestId } = request.value;
        return { case: "acceptedFrontier", value: { chainId, requestId, containerId: new Uint8Array(32).fill(7) } };
      },
    });
    const b = await start({ beacons: [beaconOf(a)] });
    await eventually(() => areConnected(a, b));
    const [peer] = b.network.peers;
    expect(peer!.introduction!.version).toEqual({ name: "firn", major: 1, minor: 15, patch: 3 });
    expect(peer!.introduction!.address).toMatchObject({ ip: "127.0.0.1", port: a.port });
    const answer = await b.network.request(a.identity.nodeId, { kind: "getAcceptedFrontier", chainId: P_CHAIN, members: {} });
    expect(Buffer.from(answer.containerId).toString("hex")).toBe("07".repeat(32));
    const refused = b.network.request(a.identity.nodeId, { kind: "appRequest", chainId: P_CHAIN, members: { appBytes: new Uint8Array() } });
    await expect(refused).rejects.toThrow("error -2: unregistered handler");
  });

  test("that do not answer in time, or are gone, have not answered; a late answer is ignored", async () => {
    let answerLate: (() => void) | undefined;
    const a = await start({
      serve: (request) =>
        new Promise((resolve) => {
          const { chainId, requestId } = request.value as MessageOf<"get">;
          answerLate = () => resolve({ case: "put", value: { chainId, requestId } });
        }),
    });
    const b = await start({ beacons: [beaconOf(a)] });
    await eventually(() => areConnected(a, b));
    const ask = () => b.network.request(a.identity.nodeId, { kind: "get", chainId: P_CHAIN, members: { containerId: new Uint8Array(32) } });
    const asked = ask();
    asked.catch(() => {});
    await eventually(() => answerLate !== undefined);
    clock.move(10_000);
    await expect(asked).rejects.toThrow("no answer within 10 s");
    answerLate!();
    await eventually(() => b.network.peers[0]!.ignored === 1);
    const last = ask();
    last.catch(() => {});
    await a.network.close();
    await expect(last).rejects.toThrow("the peer is gone");
    await expect(ask()).rejects.toThrow("the peer is not connected");
  });

  test("learn each other's addresses from one that both know, and dial them", async () => {
    const a = await start();
    const b = await start({ beacons: [beaconOf(a)] });
    await eventually(() => areConnected(a, b));
    const c = await start({ beacons: [beaconOf(a)] });
    await eventually(() => areConnected(a, c) && areConnected(b, c));
    expect(c.network.knownAddresses).toBe(2);
  });

  test("are dialled if they are wanted, once it is said who is", async () => {
    const a = await start();
    const b = await start({ beacons: [beaconOf(a)] });
    await eventually(() => areConnected(a, b));
    b.network.want(new Set());
    expect(b.network.knownAddresses).toBe(0);
    // dials nobody of whom it is told
    const c = await start({ beacons: [beaconOf(a)], dialsPrivate: false });
    await eventually(() => areConnected(a, c));
    // b asks a for its peers, and takes nobody
    const received = b.network.traffic.received;
    clock.move(2_000);
    await eventually(() => b.network.traffic.received > received);
    expect([b.network.isConnected(c.identity.nodeId), b.network.knownAddresses]).toEqual([false, 0]);
    b.network.want(new Set([c.identity.nodeId]));
    clock.move(2_000);
    await eventually(() => areConnected(b, c));
  });

  test("that are dialled in vain are dialled again, each time later, and reached when they are there", async () => {
    const a = await start();
    const beacon = beaconOf(a);
    await a.network.close();
    const b = await start({ beacons: [beacon] });
    await eventually(() => b.ends.length === 1);
    expect(b.ends[0]!.message).toMatch(/^127\.0\.0\.1:\d+ cannot be reached: connect ECONNREFUSED/);
    clock.move(9_999);
    expect(b.ends).toHaveLength(1);
    clock.move(10_001);
    await eventually(() => b.ends.length === 2);
  });
});

test("a beacon that has come by itself is dialled once its connection ends", async () => {
  const b = await start();
  const beacon = beaconOf(b);
  const a = await start({ beacons: [beacon] });
  await eventually(() => areConnected(a, b));
  for (const peer of a.network.peers) peer.close(new P2pError("closed", "a test ends it"));
  await eventually(() => !b.network.isConnected(a.identity.nodeId));
  const own = await connectRaw(a, b.identity);
  await own.introduce(clock.unixSeconds());
  await eventually(() => a.network.isConnected(b.identity.nodeId));
  // when it would be dialled again, it is connected
  clock.move(20_000);
  own.close();
  await eventually(() => !a.network.isConnected(b.identity.nodeId));
  clock.move(40_000);
  await eventually(() => areConnected(a, b));
});

test("strangers who come by themselves take at most half of the places", async () => {
  const node = await start({ maxPeers: 4 });
  const [first, second, third] = [await connectRaw(node), await connectRaw(node), await connectRaw(node)];
  await eventually(() => node.ends.some(({ message }) => message === "there are as many strangers as are taken"));
  await eventually(() => [first!, second!, third!].filter(({ isClosed }) => isClosed).length === 1);
});

test("a peer is told of others once in a second", async () => {
  const node = await start();
  const [asker, other] = [await connectRaw(node), await connectRaw(node)];
  await other.introduce(clock.unixSeconds());
  await asker.introduce(clock.unixSeconds());
  const filter = { filter: Buffer.from(`01${"00".repeat(9)}`, "hex"), salt: new Uint8Array() };
  const lists = () => asker.received.filter((message) => message.case === "peerList").length;
  const ask: SentMessage = { case: "getPeerList", value: { knownPeers: filter } };
  asker.send(ask, ask, ask, { case: "appRequest", value: { chainId: new Uint8Array(32), requestId: 3 } });
  await asker.next("appError");
  expect(lists()).toBe(2);
  clock.move(1_000);
  asker.send(ask);
  await eventually(() => lists() === 3);
});

interface Breach {
  readonly says: (peer: RawPeer, now: bigint) => void | Promise<void>;
  readonly reason: string;
}

const list = (addresses: object[]) => ({ case: "peerList", value: { addresses } }) as SentMessage;
const afterIntroduction =
  (...messages: readonly SentMessage[]) =>
  async (peer: RawPeer, now: bigint) => {
    await peer.introduce(now);
    peer.send(...messages);
  };
const changed =
  (changes: Partial<MessageOf<"handshake">>) =>
  (peer: RawPeer, now: bigint): void =>
    peer.send(peer.handshake(now, changes));

/** All for which the network's nodes let go of a peer, too (p2p.md 7). */
const BREACHES: Readonly<Record<string, Breach>> = {
  "is of another network": { says: changed({ networkId: 1 }), reason: "it is of network 1, not of network 12345" },
  "has a clock that is behind": {
    says: (peer, now) => peer.send(peer.handshake(now, { myTime: now - 61n })),
    reason: "its clock is 61 s behind this machine's; set this one by NTP if other peers say the same",
  },
  "has a clock that is ahead": {
    says: (peer, now) => peer.send(peer.handshake(now, { myTime: now + 61n })),
    reason: "its clock is 61 s ahead of this machine's; set this one by NTP if other peers say the same",
  },
  "has an old version": {
    says: changed({ client: { $typeName: "firn.p2p.Client", name: "avalanchego", major: 1, minor: 14, patch: 2 } }),
    reason: "its version is avalanchego/1.14.2; the network asks for 1.15.0 or newer",
  },
  "has a later major version": {
    says: changed({ client: { $typeName: "firn.p2p.Client", name: "avalanchego", major: 2, minor: 0, patch: 0 } }),
    reason: "its version is avalanchego/2.0.0",
  },
  "tracks too many subnets": {
    says: changed({ trackedSubnets: new Array<Uint8Array>(17).fill(new Uint8Array(32)) }),
    reason: "it tracks 17 subnets",
  },
  "claims no address": { says: changed({ ipAddr: new Uint8Array(3) }), reason: "it claims an address that is none" },
  "claims port 0": { says: changed({ ipPort: 65_536 }), reason: "it claims an address that is none" },
  "claims another's address": { says: changed({ ipPort: 9652 }), reason: "the signature of its address is not that of its certificate" },
  "signed in the future": {
    says: (peer, now) => peer.send(peer.handshake(now, { ipSigningTime: now + 61n })),
    reason: "it signed its address in the future",
  },
  "has a malformed filter": {
    says: changed({ knownPeers: { $typeName: "firn.p2p.BloomFilter", filter: new Uint8Array(3), salt: new Uint8Array() } }),
    reason: "its Bloom filter of known peers is malformed",
  },
  "introduces itself twice": {
    says: (peer, now) => peer.send(peer.handshake(now), peer.handshake(now)),
    reason: "it introduced itself twice",
  },
  "answers a ping that was not sent": {
    says: afterIntroduction({ case: "pong", value: {} }),
    reason: "it answered a ping that was not sent",
  },
  "sees an impossible uptime": {
    says: afterIntroduction({ case: "ping", value: { uptime: 101 } }),
    reason: "it sees an uptime of 101 percent",
  },
  "asks for peers without a filter": {
    says: afterIntroduction({ case: "getPeerList", value: {} }),
    reason: "it asked for peers without a Bloom filter",
  },
  "passes on no certificate": {
    says: afterIntroduction(list([{ ipAddr: new Uint8Array(4), ipPort: 1 }])),
    reason: "it passed on a certificate",
  },
  "passes on what nobody signed": {
    says: afterIntroduction(list([{ certificate: new Uint8Array(100), ipAddr: new Uint8Array(4), ipPort: 1, signingTime: 5n }])),
    reason: "it passed on an address that its node has not signed",
  },
  "passes on more than a list has": {
    says: afterIntroduction(list(new Array(16).fill({ certificate: new Uint8Array(9), ipAddr: new Uint8Array(4), ipPort: 1 }))),
    reason: "it sent a list of 16 peers; at most 15 are taken",
  },
  "announces a message that is too long": {
    says: (peer) => {
      const length = Buffer.alloc(4);
      length.writeUInt32BE(MAX_FRAME_BYTES + 1);
      peer.sendBytes(length);
    },
    reason: "it announced a message of 2097153 bytes",
  },
};

describe("a peer is let go of that", () => {
  test.each(Object.entries(BREACHES))("%s", async (_, { says, reason }) => {
    const node = await start();
    const peer = await connectRaw(node);
    await says(peer, clock.unixSeconds());
    await eventually(() => peer.isClosed && node.ends.length === 1);
    expect(node.ends[0]!.message).toContain(reason);
    expect(node.network.peers).toEqual([]);
  });

  test("says nothing for 30 s, by another clock than the machine's", async () => {
    const node = await start();
    const peer = await connectRaw(node);
    await peer.introduce(clock.unixSeconds());
    await eventually(() => node.network.peers.length === 1);
    clock.move(22_500);
    await peer.next("ping");
    clock.move(7_499);
    expect(node.ends).toEqual([]);
    clock.move(1);
    expect(node.ends.map(({ message }: P2pError) => message)).toEqual(["it said nothing for 30 s"]);
  });

  test("is connected already, or is the node itself", async () => {
    const node = await start();
    const peer = await connectRaw(node);
    await peer.introduce(clock.unixSeconds());
    await connectRaw(node, peer.identity);
    await eventually(() => node.ends.length === 1);
    await connectRaw(node, node.identity);
    await eventually(() => node.ends.length === 2);
    expect(node.ends.map(({ message }) => message)).toEqual(["it is connected already", "it is this node itself"]);
    expect(node.network.peers).toHaveLength(1);
  });

  test("was named as a beacon and is another node", async () => {
    const a = await start();
    const b = await start({ beacons: [{ ...beaconOf(a), nodeId: "ab".repeat(20) }] });
    await eventually(() => b.ends.length === 1);
    expect(b.ends[0]!.message).toBe("its certificate is that of another node than was named");
  });
});

describe("a peer may", () => {
  test("send many pings at once, and gets one pong", async () => {
    const node = await start();
    const peer = await connectRaw(node);
    await peer.introduce(clock.unixSeconds());
    peer.send(...new Array<SentMessage>(50).fill({ case: "ping", value: {} }));
    await peer.next("pong");
    peer.send({
      case: "getPeerList",
      value: { knownPeers: { filter: Buffer.from(`01${"00".repeat(9)}`, "hex"), salt: new Uint8Array() } },
    });
    peer.send({ case: "appRequest", value: { chainId: new Uint8Array(32), requestId: 3 } });
    await peer.next("appError");
    expect(peer.received.filter((message) => message.case === "pong")).toHaveLength(1);
  });

  test("send its handshake and its list in one piece", async () => {
    const node = await start();
    const peer = await connectRaw(node);
    peer.send(peer.handshake(clock.unixSeconds()), { case: "peerList", value: {} });
    await eventually(() => node.network.peers.length === 1);
  });

  test("send what is not understood or not yet allowed: it is ignored", async () => {
    const node = await start();
    const peer = await connectRaw(node);
    peer.send({ case: "getAcceptedFrontier", value: { chainId: new Uint8Array(32) } });
    peer.sendBytes(Buffer.from("00000000", "hex"));
    peer.sendBytes(Buffer.from("00000003a20200", "hex"));
    await peer.introduce(clock.unixSeconds());
    await eventually(() => node.network.peers.length === 1);
    expect(node.network.peers[0]!.ignored).toBe(3);
  });

  test("ask much at once: 16 requests are answered at a time, and all in the end", async () => {
    const waiting: (() => void)[] = [];
    let most = 0;
    const node = await start({
      serve: ({ value }) =>
        new Promise((resolve) => {
          const { chainId, requestId } = value as MessageOf<"getAcceptedFrontier">;
          waiting.push(() => resolve({ case: "acceptedFrontier", value: { chainId, requestId } }));
          most = Math.max(most, waiting.length);
        }),
    });
    const peer = await connectRaw(node);
    await peer.introduce(clock.unixSeconds());
    const requests = Array.from(
      { length: 200 },
      (_, requestId): SentMessage => ({ case: "getAcceptedFrontier", value: { chainId: new Uint8Array(32), requestId } }),
    );
    peer.send(...requests);
    await eventually(() => {
      if (waiting.length === 16 || peer.received.length >= 200 - 16) for (const answer of waiting.splice(0)) answer();
      return peer.received.filter((message) => message.case === "acceptedFrontier").length === 200;
    });
    expect(most).toBe(16);
  });

  test("ask and not read: then it gets no more answers, while others do", async () => {
    const made: number[] = [];
    const containers = [Buffer.alloc(1 << 20)];
    const node = await start({
      serve: ({ value }) => {
        const { chainId, requestId } = value as MessageOf<"getAncestors">;
        made.push(requestId);
        return { case: "ancestors", value: { chainId, requestId, containers } };
      },
    });
    const [deaf, other] = [await connectRaw(node), await connectRaw(node)];
    await deaf.introduce(clock.unixSeconds());
    await other.introduce(clock.unixSeconds());
    deaf.pause();
    const request = (requestId: number): SentMessage => ({ case: "getAncestors", value: { chainId: new Uint8Array(32), requestId } });
    // more than the buffers of the two sockets hold
    deaf.send(...Array.from({ length: 64 }, (_, requestId) => request(requestId)));
    const connection = () => node.network.peers.find(({ nodeId }) => nodeId === deaf.identity.nodeId)!;
    await eventually(() => connection().ignored > 0);
    other.send(request(1000));
    await other.next("ancestors");
    // one that was made and could not be sent counts in both
    await eventually(() => connection().ignored + made.length >= 65);
    expect(made.length).toBeLessThan(65);
    expect(connection().queuedBytes).toBeLessThan(4 << 20);
  });
});
