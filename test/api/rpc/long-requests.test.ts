/** However long a request is, it lets others go on: what it does between two of its turns does not grow with it. */

import { expect, test } from "vitest";
import { answerRequest } from "../../../src/api/rpc/dispatcher.ts";
import type { RpcContext } from "../../../src/api/rpc/method.ts";
import { services } from "../../../src/api/rpc/registry.ts";
import { KeptAnswers } from "../../../src/api/state/kept-answers.ts";
import { NO_PEERS } from "../../../src/api/state/node-facts.ts";
import { formatId, formatNodeId } from "../../../src/base/bytes/cb58.ts";
import { nameId, PLATFORM_CHAIN_ID } from "../../../src/base/bytes/id.ts";
import { DEFAULT_LIMITS } from "../../../src/base/limits.ts";
import type { Row, Table } from "../../../src/base/table/table.ts";
import { RequestWork } from "../../../src/base/work/work.ts";
import { assetChains, assetUtxos } from "../../../src/chains/asset/tables.ts";
import { platformChain, platformUtxos } from "../../../src/chains/platform/tables.ts";
import { PLATFORM_UTXOS, utxosByAddress } from "../../../src/index/tables.ts";
import { localNetwork } from "../../../src/network/presets.ts";
import { BudgetedReader } from "../../../src/store/budgeted-reader.ts";
import type { ScanRange } from "../../../src/store/store.ts";
import { WorkMeter } from "../../base/work/work-meter.ts";
import { id, shortId } from "./chain-node.ts";
import { MemoryReader } from "./memory-reader.ts";

/** Members of each list; ten times what one piece of work may have. */
const COUNT = 20_000;
const MOST = 2048;

const xChainId = id(0xf1);
const network = {
  ...localNetwork(),
  ...{ genesisBytes: new Uint8Array(0), genesisId: id(0xf0), xChainId, cChainId: id(0xf2), avaxAssetId: id(0xaa) },
};
const rich = shortId(7);

/** Its own work is not that of the request. */
class UncountedReader extends MemoryReader {
  readonly #meter: WorkMeter;

  constructor(meter: WorkMeter) {
    super();
    this.#meter = meter;
  }

  override scan<T extends Table>(table: T, range: ScanRange<T>): Promise<Row<T>[]> {
    return this.#meter.uncounted(() => super.scan(table, range));
  }
}

let states = 0;

async function answered(service: keyof typeof services, request: string, fill: (reader: MemoryReader) => void = () => {}) {
  const meter = new WorkMeter();
  const rows = new UncountedReader(meter);
  const scalars = { height: 0n, timestamp: 0n, feeCapacity: 0n, feeExcess: 0n, l1Excess: 0n, accruedFees: 0n };
  rows.put(platformChain, { slot: 0 }, { ...scalars, lastAccepted: id(0x10c0000 + states++) });
  rows.put(assetChains, { chain: 0 }, { chainId: xChainId, fxIds: ["secp256k1fx", "nftfx", "propertyfx"].map(nameId) });
  fill(rows);
  const work = new RequestWork(meter.work);
  const isOfX = service === "avm";
  const context = {
    reader: new BudgetedReader(rows, work, DEFAULT_LIMITS),
    work,
    network,
    kept: new KeptAnswers(DEFAULT_LIMITS.keptBytes),
    chain: isOfX ? { chainId: xChainId, chain: 0, alias: "X" } : { chainId: PLATFORM_CHAIN_ID, alias: "P" },
    beyondState: () => ({
      clock: 1_700_000_000n,
      now: 1_700_000_000_000_000_000n,
      facts: { peerSource: NO_PEERS, publicIp: "" },
      health: { health: [], readiness: [] },
    }),
    cached: (_: string, make: () => Promise<unknown>) => make(),
  } as unknown as RpcContext;
  const onDefect = (error: unknown) => {
    throw error;
  };
  const { body } = await meter.measure(async () => answerRequest(services[service], request, (use) => use(context), { onDefect }, work));
  return { meter, body: typeof body === "string" ? body : Buffer.concat(body ?? []).toString() };
}

const call = (method: string, params: object) => JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
const many = <T>(make: (n: number) => T, count = COUNT) => Array.from({ length: count }, (_, n) => make(n + 1));
const addresses = many((n) => formatId(shortId(n)));
const nodeIds = many((n) => formatNodeId(shortId(n)));

/** An output of the fx that P and X share, as it is stored. */
function utxo(n: number): Uint8Array {
  const head = `${id(n)}${(0).toString(16).padStart(8, "0")}${id(0xaa)}00000007`;
  return Buffer.from(`${head}${(5).toString(16).padStart(16, "0")}${"0".repeat(16)}0000000100000001${rich}`, "hex");
}

const withUtxos = (chain: number) => (reader: MemoryReader) => {
  for (const n of many((each) => each, 5000)) {
    const [utxoId, row] = [id(n), { bytes: utxo(n), rank: BigInt(n) }];
    if (chain === PLATFORM_UTXOS) reader.put(platformUtxos, { utxoId }, row);
    else reader.put(assetUtxos, { chain, utxoId }, row);
    reader.put(utxosByAddress, { chain, address: rich, rank: row.rank, utxoId }, {});
  }
};

const cases: Readonly<Record<string, () => ReturnType<typeof answered>>> = {
  "platform.getBalance of many addresses": () => answered("platform", call("platform.getBalance", { addresses })),
  "platform.getBalance of one address, many times": () =>
    answered("platform", call("platform.getBalance", { addresses: many(() => addresses[0]) })),
  "platform.getBalance of many UTXOs": () =>
    answered("platform", call("platform.getBalance", { addresses: [formatId(rich)] }), withUtxos(PLATFORM_UTXOS)),
  "platform.getUTXOs of too many addresses": () => answered("platform", call("platform.getUTXOs", { addresses })),
  "platform.getStake of too many addresses": () => answered("platform", call("platform.getStake", { addresses })),
  "platform.getCurrentValidators on many nodes": () => answered("platform", call("platform.getCurrentValidators", { nodeIDs: nodeIds })),
  "platform.getSubnets of many IDs": () => answered("platform", call("platform.getSubnets", { ids: many((n) => formatId(id(n))) })),
  "avm.getBalance of many UTXOs": () =>
    answered("avm", call("avm.getBalance", { address: formatId(rich), assetID: formatId(id(0xaa)) }), withUtxos(0)),
  "info.peers of many nodes": () => answered("info", call("info.peers", { nodeIDs: nodeIds })),
  "params with many members": () => answered("platform", call("platform.getHeight", Object.fromEntries(many((n) => [`m${n}`, 1])))),
};

for (const [name, ask] of Object.entries(cases)) {
  test(name, async () => {
    const { meter, body } = await ask();
    expect(body).toMatch(name.includes("too many") ? /"error"/ : /"result"/);
    expect(meter.most).toBeLessThan(MOST);
  });
}

test("an ID that is as long as the request", async () => {
  const text = '<é\u2028 \\"'.repeat(50_000);
  const request = Buffer.from(JSON.stringify({ jsonrpc: "2.0", id: text, method: "platform.getHeight" })).toString("latin1");
  const { body, meter } = await answered("platform", request);
  expect(JSON.parse(body).id).toBe(text);
  // a turn for at most 16 KiB, once to read them and once to write them
  expect(meter.work.turns).toBeGreaterThan((2 * request.length) / (16 << 10));
});
