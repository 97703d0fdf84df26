/** Versions of peers, and with which of them a connection is kept (p2p.md 1.4; v1.15.md 5). */

export interface PeerVersion {
  /** such as "avalanchego" */
  readonly name: string;
  readonly major: number;
  readonly minor: number;
  readonly patch: number;
}

/** The floor rises with each upgrade of the network, so both are configuration. */
export interface VersionRule {
  /** sent in the handshake */
  readonly own: PeerVersion;
  /** the oldest that is taken, such as `{ major: 1, minor: 15, patch: 0 }` */
  readonly least: Omit<PeerVersion, "name">;
}

export const DEFAULT_VERSIONS: VersionRule = {
  own: { name: "firn", major: 1, minor: 15, patch: 3 },
  least: { major: 1, minor: 15, patch: 0 },
};

/** A peer of a later major version, or older than the floor, follows other rules. */
export function isCompatible(peer: Omit<PeerVersion, "name">, { own, least }: VersionRule): boolean {
  if (peer.major > own.major) return false;
  const parts = [peer.major - least.major, peer.minor - least.minor, peer.patch - least.patch];
  return (parts.find((part) => part !== 0) ?? 0) >= 0;
}

export function formatVersion({ name, major, minor, patch }: PeerVersion): string {
  return `${name}/${major}.${minor}.${patch}`;
}
