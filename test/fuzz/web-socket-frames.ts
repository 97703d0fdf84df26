/** WebSocket frames, determined by a seed: valid ones, forbidden ones, and nonsense. */
import { randomBody } from "./json-mutation.ts";
import { mutate, type Random } from "./mutate.ts";

const [TEXT, BINARY, CLOSE, PING, PONG] = [1, 2, 8, 9, 10];
const FINAL = 0x80;
const MASKED = 0x80;
const LONGEST_CONTROL = 125;

const CALLS = [
  { method: "eth_chainId", params: [] },
  { method: "eth_blockNumber", params: [] },
  { method: "eth_call", params: [{ data: "0x5b600056", gas: "0x7fffffffffffffff" }, "latest"] },
  { method: "eth_getLogs", params: [{ fromBlock: "0x0", toBlock: "latest" }] },
  { method: "eth_feeHistory", params: ["0x400", "latest", [1, 50, 99]] },
  { method: "eth_getBlockByNumber", params: ["0x0", true] },
  { method: "eth_sendRawTransaction", params: [`0x02${"c0".repeat(20)}`] },
  { method: "eth_subscribe", params: ["newHeads"] },
  { method: "eth_subscribe", params: ["logs", { address: "0x", topics: [[null], "0x00"] }] },
  { method: "eth_unsubscribe", params: ["0x1"] },
  { method: "evm_mine", params: [] },
  { method: "debug_traceCall", params: [{ data: "0x00" }, "latest", { tracer: "{step: function() {}}" }] },
].map((call) => ({ ...call, path: "" }));

/** One frame, or several that belong together. */
export function randomFrames(random: Random): Buffer {
  switch (random.below(12)) {
    case 0:
      return frame(TEXT, batch(random));
    case 1:
      return fragmented(message(random), random);
    case 2:
      return frame(random.of([PING, PONG]), Buffer.alloc(random.of([0, 1, LONGEST_CONTROL, LONGEST_CONTROL + 1, 70_000])));
    case 3:
      return frame(CLOSE, random.of([Buffer.alloc(0), Buffer.of(3), closeCode(random), Buffer.of(3, 232, 0xff, 0xfe)]));
    case 4:
      return frame(random.of([3, 5, 7, 11, 15, 0]), message(random));
    case 5:
      // reserved bits: compression that was not agreed on
      return frame(TEXT, message(random), { reserved: random.of([0x40, 0x20, 0x10, 0x70]) });
    case 6:
      return frame(TEXT, message(random), { isMasked: false });
    case 7:
      return declaring(random.of([126n, 65_535n, 65_536n, 5_242_880n, 5_242_881n, 2n ** 31n, 2n ** 53n, 2n ** 63n, 2n ** 64n - 1n]));
    case 8:
      return frame(TEXT, Buffer.from(random.of(["c328", "fffe", "eda080", "f4908080", "80", "e28228"]), "hex"));
    case 9:
      return mutate(frame(random.of([TEXT, BINARY]), message(random)), random);
    case 10:
      return Buffer.from(Array.from({ length: 1 + random.below(100) }, () => random.below(256)));
    default:
      return frame(random.of([TEXT, BINARY]), message(random));
  }
}

export function frame(opcode: number, payload: Buffer, { isMasked = true, reserved = 0, isFinal = true } = {}): Buffer {
  const first = (isFinal ? FINAL : 0) | reserved | opcode;
  const mask = Buffer.of(0x12, 0x34, 0x56, 0x78);
  const body = isMasked ? payload.map((byte, index) => byte ^ mask[index % 4]!) : payload;
  return Buffer.concat([header(first, BigInt(payload.length), isMasked), isMasked ? mask : Buffer.alloc(0), body]);
}

function header(first: number, length: bigint, isMasked: boolean): Buffer {
  const bit = isMasked ? MASKED : 0;
  if (length < 126n) return Buffer.of(first, bit | Number(length));
  const short = length < 65_536n;
  const bytes = Buffer.alloc(short ? 4 : 10);
  bytes[0] = first;
  bytes[1] = bit | (short ? 126 : 127);
  if (short) bytes.writeUInt16BE(Number(length), 2);
  else bytes.writeBigUInt64BE(length, 2);
  return bytes;
}

/** The beginning of a message that says it is so long. */
function declaring(length: bigint): Buffer {
  return Buffer.concat([header(FINAL | TEXT, length, true), Buffer.alloc(64)]);
}

function fragmented(payload: Buffer, random: Random): Buffer {
  const parts = 1 + random.below(5);
  const size = Math.ceil(payload.length / parts);
  const frames = Array.from({ length: parts }, (_, part) => {
    const opcode = part === 0 ? TEXT : random.of([0, 0, 0, TEXT]);
    return frame(opcode, payload.subarray(part * size, (part + 1) * size), { isFinal: part === parts - 1 && random.below(4) > 0 });
  });
  if (random.below(3) === 0) frames.splice(1, 0, frame(PING, Buffer.from("between")));
  return Buffer.concat(frames);
}

function message(random: Random): Buffer {
  const body = randomBody(random.of(CALLS), random);
  return random.below(10) === 0 ? body.subarray(0, random.below(body.length)) : body;
}

function batch(random: Random): Buffer {
  const most = random.of([1, 3, 10, 1001]);
  const calls = Array.from({ length: most }, () => (most > 10 ? "null" : message(random).toString("latin1")));
  return Buffer.from(`[${calls.join(",")}]`, "latin1");
}

function closeCode(random: Random): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(random.of([0, 999, 1000, 1004, 1005, 1006, 1015, 2999, 3000, 4999, 5000, 65_535]));
  return bytes;
}
