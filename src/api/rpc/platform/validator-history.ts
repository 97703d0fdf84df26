/**
 * The JSON of a subnet's validator sets, put together from pieces: each validator is rendered once for all heights between two snapshots, so a
 * height costs the changes that nobody has asked for before.
 */

import { formatNodeId } from "../../../base/bytes/cb58.ts";
import type { Id, NodeId } from "../../../base/bytes/id.ts";
import { BoundedCache, type CacheSpace } from "../../../base/collections/bounded-cache.ts";
import { RawJson } from "../../../base/json/go-encode.ts";
import type { Row } from "../../../base/table/table.ts";
import { eachInTurns, SharedMaking, sortInTurns, type Work } from "../../../base/work/work.ts";
import { platformValidatorDiffs, type ValidatorMember } from "../../../chains/platform/tables.ts";
import { validatorSnapshots } from "../../../index/tables.ts";
import { validatorsIn } from "../../../index/validator-snapshots.ts";
import type { RpcContext } from "../method.ts";

/** The heights from one snapshot on, as far as they are known. A history never changes: more of it is another one. */
interface History {
  /** of each validator that it has at some height, sorted: the JSON after the snapshot and a comma; nothing if it is not in the set then */
  readonly first: Buffer;
  /** where the JSON of each place begins in `first`, and last where all ends */
  readonly starts: readonly number[];
  /** the place of each validator */
  readonly places: ReadonlyMap<NodeId, number>;
  /** in order of heights */
  readonly changes: readonly Change[];
  /** the last height whose changes are known */
  readonly through: bigint;
  /** memory, roughly */
  readonly bytes: number;
}

interface Change {
  readonly height: bigint;
  readonly nodeId: NodeId;
  /** with a comma; empty: not in the set any more */
  readonly json: Buffer;
}

class Histories {
  readonly known: BoundedCache<History>;
  readonly making = new SharedMaking();

  constructor(space: CacheSpace) {
    this.known = new BoundedCache(space, ({ bytes }) => bytes);
  }
}

/** The set after the block at `height`, as `platform.getValidatorsAt` has it. An unknown subnet's is empty. */
export async function validatorSetJson(context: RpcContext, subnetId: Id, height: bigint): Promise<RawJson> {
  const { first, starts, places, changes } = await historyThrough(context, subnetId, height);
  const changed = new Map<number, Buffer>();
  let bytes = first.length + BRACES.length;
  for (const { height: at, nodeId, json } of changes) {
    if (at > height) break;
    changed.set(places.get(nodeId)!, json);
    bytes += json.length;
    if (changed.size % PIECE === 0) for (let turn = context.work.turn(); turn !== undefined; turn = context.work.turn()) await turn;
  }
  const json = Buffer.allocUnsafe(bytes);
  let end = json.write("{", "latin1");
  let from = 0;
  for (const place of Int32Array.from(changed.keys()).sort()) {
    end += first.copy(json, end, from, starts[place]);
    json.set(changed.get(place)!, end);
    end += changed.get(place)!.length;
    from = starts[place + 1]!;
  }
  end += first.copy(json, end, from);
  // in the place of the last comma
  end = Math.max(end - 1, 1);
  return new RawJson(json.subarray(0, end + json.write("}", end, "latin1")));
}

const BRACES = "{}";
/** As many changes take well below a millisecond. */
const PIECE = 1024;

async function historyThrough(context: RpcContext, subnetId: Id, height: bigint): Promise<History> {
  const { reader, kept, work, generation } = context;
  const [snapshot] = await reader.scan(validatorSnapshots, { prefix: { subnetId }, from: { height }, reverse: true, limit: 1 });
  if (generation === undefined) return madeThrough(context, { subnetId, height, snapshot, known: undefined });
  const { known: histories, making } = kept.of(Histories);
  const key = `${generation} ${subnetId} ${snapshot?.key.height}`;
  const known = histories.get(key);
  if (known !== undefined && known.through >= height) return known;
  return making.get(`${key} ${height}`, work, async () => {
    const made = await madeThrough(context, { subnetId, height, snapshot, known });
    // clients choose the IDs, so only subnets with validators are kept; others may have gone further meanwhile
    if (made.places.size > 0 && (histories.get(key)?.through ?? -1n) < height) histories.set(key, made);
    return made;
  });
}

interface HistoryParts {
  readonly subnetId: Id;
  readonly height: bigint;
  readonly snapshot: Row<typeof validatorSnapshots> | undefined;
  /** a shorter history of the same snapshot */
  readonly known: History | undefined;
}

const CHANGES_PER_SCAN = 4096;

async function madeThrough({ reader, work }: RpcContext, { subnetId, height, snapshot, known }: HistoryParts): Promise<History> {
  const after = new Map<NodeId, Buffer>();
  const take = (nodeId: NodeId, place: number) => after.set(nodeId, known!.first.subarray(known!.starts[place], known!.starts[place + 1]));
  if (known !== undefined) await eachInTurns(work, known.places, ([nodeId, place]) => take(nodeId, place));
  else if (snapshot !== undefined) {
    await eachInTurns(work, validatorsIn(snapshot.value.set), ([nodeId, member]) => after.set(nodeId, memberJson(nodeId, member)));
  }
  const changes = known?.changes.slice() ?? [];
  let from: { height: bigint; nodeId?: NodeId } | undefined = known
    ? { height: known.through }
    : snapshot && { height: snapshot.key.height };
  for (let isLast = false; !isLast; ) {
    const range = { prefix: { subnetId }, ...(from && { after: from }), until: { height: height + 1n }, limit: CHANGES_PER_SCAN };
    const rows: Row<typeof platformValidatorDiffs>[] = await reader.scan(platformValidatorDiffs, range);
    await eachInTurns(work, rows, ({ key: { height: at, nodeId }, value }) => {
      changes.push({ height: at, nodeId, json: value.after === undefined ? NOTHING : memberJson(nodeId, value.after) });
      if (!after.has(nodeId)) after.set(nodeId, NOTHING);
    });
    isLast = rows.length < CHANGES_PER_SCAN;
    from = rows.at(-1)?.key;
  }
  return arranged(work, after, { changes, through: height });
}

async function arranged(work: Work, after: ReadonlyMap<NodeId, Buffer>, rest: Pick<History, "changes" | "through">): Promise<History> {
  const nodeIds = new Map<string, NodeId>();
  await eachInTurns(work, after.keys(), (nodeId) => nodeIds.set(formatNodeId(nodeId), nodeId));
  const starts: number[] = [];
  const places = new Map<NodeId, number>();
  const all: Buffer[] = [];
  let end = 0;
  // Members are sorted by key. The bytes after a key do not matter, since no key is the beginning of another.
  await eachInTurns(work, await sortInTurns(work, [...nodeIds.keys()]), (name) => {
    const nodeId = nodeIds.get(name)!;
    const json = after.get(nodeId)!;
    places.set(nodeId, starts.length);
    starts.push(end);
    end += json.length;
    all.push(json);
  });
  starts.push(end);
  const inChanges = rest.changes.reduce((sum, { json }) => sum + json.length + BYTES_OF_CHANGE, 0);
  return { first: Buffer.concat(all), starts, places, bytes: end + places.size * BYTES_OF_PLACE + inChanges, ...rest };
}

const NOTHING = Buffer.alloc(0);
/** memory of one, besides its text */
const BYTES_OF_PLACE = 150;
const BYTES_OF_CHANGE = 250;

function memberJson(nodeId: NodeId, { weight, publicKey }: ValidatorMember): Buffer {
  const key = publicKey === undefined ? "null" : `"0x${publicKey}"`;
  return Buffer.from(`"${formatNodeId(nodeId)}":{"publicKey":${key},"weight":"${weight}"},`, "latin1");
}
