import { readFileSync } from "node:fs";
import { join } from "node:path";
import { PLATFORM_CHAIN_ID } from "../../../src/base/bytes/id.ts";
import { frameOf } from "../../../src/p2p/wire/frames.ts";
import { recordingFolder } from "../../conformance/recordings.ts";
import { makeIdentity, RawPeer, zstdBomb } from "../../p2p/peers.ts";
import type { Attack } from "../attack.ts";
import type { Attacker } from "../attacker.ts";

const IDENTITIES = 32;
const identities = () => Array.from({ length: IDENTITIES }, () => makeIdentity());
const chainId = Buffer.from(PLATFORM_CHAIN_ID, "hex");

function networkId(): number {
  return JSON.parse(readFileSync(join(recordingFolder("scale-1"), "network.json"), "utf8")).networkID;
}

async function met(attacker: Attacker, identity: ReturnType<typeof makeIdentity>, network: number): Promise<RawPeer | undefined> {
  const peer = await RawPeer.connect(attacker.peerPort!, identity).catch(() => undefined);
  const now = BigInt(Math.floor(Date.now() / 1000));
  peer?.send(peer.handshake(now, { networkId: network }), { case: "peerList", value: {} });
  return peer;
}

function count(attacker: Attacker, what: string): void {
  attacker.tally.set(what, (attacker.tally.get(what) ?? 0) + 1);
}

const handshakes: Attack = {
  name: "peer-handshakes",
  does: "connects as a peer, introduces itself and leaves, 10,000 times if the time is enough",
  targets: ["peers"],
  async run(attacker) {
    const [own, network] = [identities(), networkId()];
    let met10k = 0;
    await attacker.again(16, async (turn) => {
      if (met10k >= 10_000) return attacker.wait();
      const peer = await met(attacker, own[turn % IDENTITIES]!, network);
      met10k++;
      await attacker.wait(5);
      count(attacker, peer === undefined ? "refused" : "met");
      peer?.close();
    });
  },
};

const nonsense: Attack = {
  name: "peer-nonsense",
  does: "connects as a peer, and sends oversized frames, noise, and messages that are much larger once they are decompressed",
  targets: ["peers"],
  async run(attacker) {
    const [own, network] = [identities(), networkId()];
    const frames = [Buffer.from("7fffffff", "hex"), frameOf(Buffer.alloc(1 << 20, 0xa5)), frameOf(zstdBomb()), Buffer.alloc(1 << 20)];
    await attacker.again(8, async (turn) => {
      const peer = await met(attacker, own[turn % IDENTITIES]!, network);
      peer?.sendBytes(frames[turn % frames.length]!);
      await attacker.wait(10);
      count(attacker, peer === undefined ? "refused" : "sent");
      peer?.close();
    });
  },
};

const greedy: Attack = {
  name: "peer-greedy",
  does: "connects as a peer, asks for ancestors of the last block again and again, and reads no answer",
  targets: ["peers"],
  async run(attacker) {
    const [own, network] = [identities(), networkId()];
    await attacker.again(8, async (turn) => {
      const peer = await met(attacker, own[turn % IDENTITIES]!, network);
      if (peer === undefined) return attacker.wait(100);
      const asked = { chainId, requestId: 1, deadline: 10_000_000_000n };
      peer.send({ case: "getAcceptedFrontier", value: asked });
      const last = await Promise.race([peer.next("acceptedFrontier"), attacker.wait(2_000)]);
      peer.pause();
      for (let requestId = 2; requestId < 200 && last !== undefined && !attacker.isOver(); requestId++) {
        peer.send({ case: "getAncestors", value: { ...asked, requestId, containerId: last.containerId, engine: 2 } });
        count(attacker, "asked");
        await attacker.wait(20);
      }
      peer.close();
    });
  },
};

export const hostilePeers: readonly Attack[] = [handshakes, nonsense, greedy];
