import { MAX_U64, smaller } from "../../../base/bytes/amount.ts";
import { formatId } from "../../../base/bytes/cb58.ts";
import type { Id, ShortId } from "../../../base/bytes/id.ts";
import { type JsonValue, renderInTurns } from "../../../base/json/go-encode.ts";
import { distinctInTurns, mapInTurns, sortInTurns } from "../../../base/work/work.ts";
import { PLATFORM_UTXOS } from "../../../index/tables.ts";
import { utxosOfAddresses } from "../../../index/utxos-of-address.ts";
import type { StoreReader } from "../../../store/store.ts";
import { method, type RpcContext } from "../method.ts";
import { listName, listOf, string } from "../params.ts";
import { parseAddresses } from "../service.ts";
import { answerOnce, chainState } from "./chain-state.ts";

// txId 32, outputIndex 4, assetId 32, then the output
const OUTPUT_INDEX_AT = 32;
const ASSET_AT = 36;
const OUTPUT_AT = 68;
const TRANSFER_OUTPUT = 7;
const LOCK_OUT = 22;

const CLASSES = ["unlocked", "lockedStakeable", "lockedNotStakeable"] as const;
type Class = (typeof CLASSES)[number];

interface Balance {
  readonly sums: Readonly<Record<Class, Map<Id, bigint>>>;
  readonly utxos: { readonly txId: Id; readonly outputIndex: number }[];
  /** The earliest end of a lock that applies now, Unix seconds: until then the sums stay the same. */
  changesAt: bigint;
}

/**
 * Balances of addresses, by asset and by whether they can be spent or staked now (rpc-platform 3.1). Every UTXO that names one of the
 * addresses counts once and in full. Fields are read directly from the UTXOs' bytes, since an exchange's address may own very many.
 */
function emptyBalance(): Balance {
  return {
    sums: { unlocked: new Map(), lockedStakeable: new Map(), lockedNotStakeable: new Map() },
    utxos: [],
    changesAt: MAX_U64,
  };
}

/** Adds one UTXO, without codec version, as of `now`. Only transfer outputs count. */
function addUtxo(balance: Balance, utxo: Uint8Array, now: bigint): void {
  const bytes = Buffer.from(utxo.buffer, utxo.byteOffset, utxo.byteLength);
  const output = readOutput(bytes);
  if (output === undefined) return;
  const { amount, locktime, stakeableUntil } = output;
  const isLocked = locktime > now;
  const isStakeLocked = stakeableUntil > now;
  const sums = balance.sums[isLocked ? "lockedNotStakeable" : isStakeLocked ? "lockedStakeable" : "unlocked"];
  const assetId = bytes.toString("hex", ASSET_AT, OUTPUT_AT);
  sums.set(assetId, saturatingAdd(sums.get(assetId) ?? 0n, amount));
  balance.utxos.push({ txId: bytes.toString("hex", 0, OUTPUT_INDEX_AT), outputIndex: bytes.readUInt32BE(OUTPUT_INDEX_AT) });
  if (isLocked) balance.changesAt = smaller(balance.changesAt, locktime);
  if (isStakeLocked) balance.changesAt = smaller(balance.changesAt, stakeableUntil);
}

export function saturatingAdd(a: bigint, b: bigint): bigint {
  return smaller(a + b, MAX_U64);
}

function readOutput(bytes: Buffer): { amount: bigint; locktime: bigint; stakeableUntil: bigint } | undefined {
  let at = OUTPUT_AT;
  let stakeableUntil = 0n;
  if (bytes.readUInt32BE(at) === LOCK_OUT) {
    stakeableUntil = bytes.readBigUInt64BE(at + 4);
    at += 4 + 8; // type, locktime
  }
  if (bytes.readUInt32BE(at) !== TRANSFER_OUTPUT) return undefined;
  return { amount: bytes.readBigUInt64BE(at + 4), locktime: bytes.readBigUInt64BE(at + 4 + 8), stakeableUntil };
}

/** Amounts by asset. Keys are sorted as text, as the node writes maps. */
export function assetAmounts(amounts: ReadonlyMap<Id, bigint>): Record<string, string> {
  const entries = [...amounts].map(([assetId, amount]) => [formatId(assetId), `${amount}`] as const);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Sums over all UTXOs of the addresses; costs O(UTXOs) once per state of the chain. Locktimes are compared with the wall clock. */
export const getBalance = method({
  name: "platform.getBalance",
  summary: "The balance of addresses, summed over all their UTXOs: unlocked, locked but stakeable, locked.",
  cost: "O(addresses + their UTXOs) once per height, then O(answer); in turns, bounded by `requestRows` and the body's length",
  computeUnits: 50,
  params: { addresses: listOf(string) },
  async handler({ addresses: texts }, context) {
    const { work } = context;
    const { clock } = context.beyondState();
    const addresses = await sortInTurns(work, await distinctInTurns(work, await parseAddresses(context, texts)));
    return answerOnce(await chainState(context), context, `balance ${await listName(work, addresses)}`, async () => {
      const balance = await readBalance(context.reader, addresses, clock);
      const json = await renderInTurns(await balanceJson(balance, context), work);
      return { json, validity: { from: clock, until: balance.changesAt } };
    });
  },
});

async function readBalance(reader: StoreReader, addresses: readonly ShortId[], clock: bigint): Promise<Balance> {
  const balance = emptyBalance();
  const seen = new Set<Id>();
  for await (const { utxoId, bytes } of utxosOfAddresses(reader, PLATFORM_UTXOS, addresses)) {
    if (seen.has(utxoId)) continue;
    seen.add(utxoId);
    addUtxo(balance, bytes, clock);
  }
  return balance;
}

async function balanceJson({ sums, utxos }: Balance, { network, work }: RpcContext): Promise<JsonValue> {
  const avax = network.avaxAssetId;
  const { unlocked, lockedStakeable, lockedNotStakeable } = sums;
  const all = new Map<Id, bigint>();
  for (const [assetId, amount] of [...unlocked, ...lockedStakeable, ...lockedNotStakeable]) {
    all.set(assetId, saturatingAdd(all.get(assetId) ?? 0n, amount));
  }
  return {
    balance: `${all.get(avax) ?? 0n}`,
    unlocked: `${unlocked.get(avax) ?? 0n}`,
    lockedStakeable: `${lockedStakeable.get(avax) ?? 0n}`,
    lockedNotStakeable: `${lockedNotStakeable.get(avax) ?? 0n}`,
    balances: assetAmounts(all),
    unlockeds: assetAmounts(unlocked),
    lockedStakeables: assetAmounts(lockedStakeable),
    lockedNotStakeables: assetAmounts(lockedNotStakeable),
    utxoIDs: utxos.length === 0 ? null : await mapInTurns(work, utxos, ({ txId, outputIndex }) => ({ txID: formatId(txId), outputIndex })),
  };
}
