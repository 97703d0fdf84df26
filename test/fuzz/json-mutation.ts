/**
 * Random JSON-RPC bodies derived from recorded ones: members with other types, missing, repeated or additional members, and broken bytes.
 */
import type { Random } from "./mutate.ts";

export interface RecordedRequest {
  readonly path: string;
  readonly method: string;
  readonly params?: unknown;
}

/** JSON texts at which parsers, integers, IDs and encodings break. */
const EDGE_TEXTS: readonly string[] = [
  ...["null", "true", "false", "0", "-1", "1.5", "1e3", "1e400", "-0", "18446744073709551615", "18446744073709551616", "4294967296"],
  "1".padEnd(400, "0"),
  ...['""', '" "', '"0"', '"-1"', '"1024"', '"9223372036854775808"', '"0x"', '"0x00"', '"0xzz"', '"json"', '"hexnc"', '"\\u0000"'],
  ...['"\\ud800"', '"\u2028<&>"', '"\\u212a"', '"P-"', '"X-custom1"', '"NodeID-"', '"11111111111111111111111111111111LpoYY"'],
  ...[
    '"__proto__"',
    '"constructor"',
    '"P"',
    '"X"',
    '"C"',
    '"proposed"',
    "[]",
    "{}",
    "[null]",
    "[[]]",
    '[{"a":[]}]',
    '{"__proto__":{"a":1}}',
  ],
  ...['{"address":"","utxo":"x"}', `"${"A".repeat(5000)}"`, `[${'"x",'.repeat(1100)}"x"]`, `${"[".repeat(300)}${"]".repeat(300)}`],
  ...['"0x0000ffffffff"', '"0x000000000000"', '["P","X"]', '{"toString":null,"valueOf":5}'],
];

export function randomBody(recorded: RecordedRequest, random: Random): Buffer {
  const method =
    random.below(40) === 0 ? random.of(['""', "5", "null", '"a.b.c"', '"platform.\\u0000"', '"index."']) : quote(recorded.method);
  const params = recorded.params === undefined ? "{}" : JSON.stringify(recorded.params);
  const members = [
    '"jsonrpc":"2.0"',
    `"method":${method}`,
    `"params":${random.below(8) === 0 ? random.of(EDGE_TEXTS) : mutatedText(params, random)}`,
    `"id":${random.below(10) === 0 ? random.of(EDGE_TEXTS) : "1"}`,
  ];
  if (random.below(30) === 0) members.splice(random.below(members.length), 1);
  if (random.below(30) === 0) members.push(random.of(members));
  const body = Buffer.from(`{${members.join(",")}}`);
  return random.below(20) === 0 ? brokenBytes(body, random) : body;
}

function quote(text: string): string {
  return JSON.stringify(text);
}

/** The JSON text with one to three of its values changed. */
function mutatedText(json: string, random: Random): string {
  let text = json;
  for (let changes = random.below(4); changes > 0; changes--) {
    const values = [...text.matchAll(/"(?:[^"\\]|\\.)*"|-?\d+|true|false|null|\{\}|\[\]/g)];
    if (values.length === 0) return random.of(EDGE_TEXTS);
    const { 0: value, index } = random.of(values);
    text = text.slice(0, index) + changedValue(value, text[index + value.length] === ":", random) + text.slice(index + value.length);
  }
  return text;
}

function changedValue(value: string, isName: boolean, random: Random): string {
  if (isName) return random.of([value.toUpperCase().replaceAll("\\U", "\\u"), '"unknown"', value, '"__proto__"']);
  if (value.length < 4 || random.below(2) === 0) return random.of(EDGE_TEXTS);
  const at = 1 + random.below(value.length - 2);
  const inner = value.replaceAll("\\", "0");
  return random.of([
    `${inner.slice(0, at)}${random.of([..."0OlIz!1-. "])}${inner.slice(at + 1)}`,
    `${inner.slice(0, at)}${inner.slice(at + 1)}`,
    value.startsWith('"') ? `"${inner.slice(1, at)}"` : value,
    `[${value},${value}]`,
  ]);
}

function brokenBytes(body: Buffer, random: Random): Buffer {
  const at = random.below(body.length);
  const byte = Buffer.of(random.below(256));
  return Buffer.concat([body.subarray(0, at), byte, body.subarray(at + random.below(3))]);
}
