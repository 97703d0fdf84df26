/** Members that are required and checked, and invalid values for them. */
import type { Reply, SpoiledCall } from "../../evm/replay-rpc/spoiled-node.ts";
import type { Random } from "../mutate.ts";

type Json = Record<string, unknown>;
type Place = readonly [object: Json, name: string];

const MISSING = Symbol("missing");
const NEVER_A_TEXT: readonly unknown[] = [7, true, {}, -1, null, MISSING, 1e300, [[7]]];
/** no quantity, hash or address */
const NEVER: readonly unknown[] = [
  ...NEVER_A_TEXT,
  ...[
    "",
    "0x",
    "12",
    "0xzz",
    "-0x1",
    "0x 1",
    `0x${"f".repeat(65)}`,
    `0x1${"0".repeat(16)}`,
    "\u0000",
    "9".repeat(5000),
    "0x".padEnd(300_000, "0"),
  ],
];
const NEVER_A_LIST: readonly unknown[] = [7, true, {}, "0x", "[]", -1, null, MISSING];
const LISTS = new Set(["transactions", "logs", "topics", "calls"]);
/** of which any text is one */
const TEXTS = new Set(["type"]);

/** False: no reply has a member that is looked at. */
export function changeMember(calls: readonly SpoiledCall[], replies: readonly Reply[], random: Random): boolean {
  const places = calls.flatMap((call, index) => placesIn(call, replies[index]!.result));
  if (places.length === 0) return false;
  const [object, name] = random.of(places);
  const value = random.of(LISTS.has(name) ? NEVER_A_LIST : TEXTS.has(name) ? NEVER_A_TEXT : NEVER);
  if (value === MISSING) delete object[name];
  else object[name] = value;
  return true;
}

function placesIn({ method, params }: SpoiledCall, result: unknown): Place[] {
  if (typeof result !== "object" || result === null) return [];
  switch (method) {
    case "eth_getBlockByNumber":
      return params[1] === true ? placesInBlock(result as Json) : places(result as Json, "hash", "number", "timestamp");
    case "eth_getBlockReceipts":
      return (result as Json[]).flatMap(placesInReceipt);
    case "eth_getTransactionReceipt":
      return placesInReceipt(result as Json);
    case "debug_traceBlockByNumber":
      return (result as Json[]).flatMap((trace) => [...places(trace, "result"), ...placesInFrame(trace.result as Json)]);
    case "debug_traceTransaction":
      return placesInFrame(result as Json);
    default:
      return [];
  }
}

function placesInBlock(block: Json): Place[] {
  const transactions = block.transactions as Json[];
  return [
    ...places(block, "hash", "parentHash", "number", "timestamp", "transactions"),
    ...transactions.flatMap((each) => places(each, "hash", "from", "blockHash", "transactionIndex", "gas")),
  ];
}

function placesInReceipt(receipt: Json): Place[] {
  return [
    ...places(receipt, "transactionHash", "blockHash", "transactionIndex", "gasUsed", "status", "logs"),
    ...(receipt.logs as Json[]).flatMap((log) => places(log, "address", "topics", "logIndex")),
  ];
}

function placesInFrame(frame: Json): Place[] {
  return [...places(frame, "type", "from"), ...((frame.calls ?? []) as Json[]).flatMap(placesInFrame)];
}

function places(object: Json, ...names: string[]): Place[] {
  return names.map((name) => [object, name]);
}
