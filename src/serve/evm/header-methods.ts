/** `eth_getHeaderByNumber` and `eth_getHeaderByHash`, which coreth has and a development EVM lacks: a block without what is not its header. */
import { type EvmCall, rewritten } from "../../devnet/anvil/evm-call.ts";

const BLOCK_METHODS: ReadonlyMap<string, string> = new Map([
  ["eth_getHeaderByNumber", "eth_getBlockByNumber"],
  ["eth_getHeaderByHash", "eth_getBlockByHash"],
]);
const NOT_OF_HEADERS = ["blockExtraData", "size", "transactions", "uncles", "withdrawals"];

/** The call for the block whose header is asked for; undefined: no header is. */
export function blockCallFor({ raw, method, id }: EvmCall): EvmCall | undefined {
  const blockMethod = BLOCK_METHODS.get(method ?? "");
  if (blockMethod === undefined) return undefined;
  const { params } = JSON.parse(raw) as { readonly params?: unknown };
  const [block] = Array.isArray(params) ? (params as unknown[]) : [];
  const asked = [...(block === undefined ? [] : [block]), false];
  return { raw: rewritten({ method: blockMethod, id }, asked), method: blockMethod, id };
}

/** @param answer to the call for the block; unchanged without one */
export function headerAnswer(answer: Buffer, { id }: EvmCall): Buffer {
  const { result } = (answer.length === 0 ? {} : JSON.parse(answer.toString())) as { readonly result?: Record<string, unknown> | null };
  if (result === undefined || result === null) return answer;
  const header = Object.fromEntries(Object.entries(result).filter(([name]) => !NOT_OF_HEADERS.includes(name)));
  return Buffer.from(`{"jsonrpc":"2.0","id":${id},"result":${JSON.stringify(header)}}`);
}
