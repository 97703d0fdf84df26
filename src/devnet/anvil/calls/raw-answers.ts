/** Blocks, headers and receipts in the form in which nodes exchange them, as the node's `debug` API has them and the child does not. */

import { encodeRlpInteger, encodeRlpList, encodeRlpString, readRlp, rlpItems } from "../../../base/codec/rlp.ts";
import { encodeExtraData } from "../../../chains/atomic/tx.ts";
import { blocks } from "../../../index/tables.ts";
import type { StoreReader } from "../../../store/store.ts";
import type { EvmChainSpec } from "../chains/evm-chain-spec.ts";
import { EvmRequestError } from "../evm-error.ts";
import { type BlockJson, encodeHeader, fromHex } from "../header.ts";
import { hashOf } from "./block-param.ts";

export interface RawParts {
  request(method: string, params: readonly unknown[]): Promise<unknown>;
  readonly spec: Pick<EvmChainSpec, "chainId" | "name" | "encode">;
  readonly store: StoreReader;
  /** whether the C-chain's VM since Helicon, saevm, answers now; else coreth or Subnet-EVM */
  readonly isSaevm: boolean;
}

const RECEIPTS = "debug_getRawReceipts";
type RawMethod = (block: BlockJson, parts: RawParts) => Promise<string | string[]>;

export const rawMethods: ReadonlyMap<string, RawMethod> = new Map<string, RawMethod>([
  ["debug_getRawBlock", async (block, parts) => hexOf(await blockBytes(block, parts))],
  ["debug_getRawHeader", async (block, parts) => hexOf(rlpItems(readRlp(await blockBytes(block, parts)))[0]!.encoding)],
  [RECEIPTS, async ({ hash }, { request }) => ((await request("eth_getBlockReceipts", [hash])) as ReceiptJson[]).map(receiptHex)],
]);

const SERVER_ERROR = -32_000;
const INVALID_PARAMS = -32_602;

/** @param params of the client's call */
export async function rawAnswer(method: string, params: unknown, parts: RawParts): Promise<string | string[] | null> {
  const [asked] = Array.isArray(params) ? (params as unknown[]) : [];
  if (asked === undefined) throw refusal(method, INVALID_PARAMS, "missing value for required argument 0");
  const hash = hashOf(asked);
  const number = (asked as { blockNumber?: unknown } | null)?.blockNumber ?? asked;
  const block = (await (hash === undefined
    ? parts.request("eth_getBlockByNumber", [number === "pending" ? "latest" : number, false])
    : parts.request("eth_getBlockByHash", [hash, false]))) as BlockJson | null;
  if (block !== null) return rawMethods.get(method)!(block, parts);
  if (hash === undefined && parts.isSaevm) {
    if (typeof number === "string") return method === RECEIPTS ? null : "0x";
    // the child takes numbers for heights
    throw refusal(method, INVALID_PARAMS, "invalid argument 0: json: cannot unmarshal number into Go value of type string");
  }
  if (hash === undefined) throw refusal(method, SERVER_ERROR, "cannot query unfinalized data");
  if (method === RECEIPTS) return [];
  const what = method === "debug_getRawHeader" ? "header" : "block";
  // the node writes the hash's bytes in decimal
  throw refusal(method, SERVER_ERROR, `${what} #[${fromHex(hash).join(" ")}] not found`);
}

/** Genesis is not stored. */
async function blockBytes(block: BlockJson, { spec, store }: RawParts): Promise<Uint8Array> {
  const row = await store.get(blocks, { chainId: spec.chainId, height: BigInt(block.number) });
  return row?.bytes ?? spec.encode({ header: encodeHeader(block, spec.name), transactions: [], extraData: encodeExtraData([]) });
}

interface ReceiptJson {
  readonly type: string;
  readonly status: string;
  readonly cumulativeGasUsed: string;
  readonly logsBloom: string;
  readonly logs: readonly { readonly address: string; readonly topics: readonly string[]; readonly data: string }[];
}

function receiptHex({ type, status, cumulativeGasUsed, logsBloom, logs }: ReceiptJson): string {
  const fields = encodeRlpList([
    encodeRlpInteger(BigInt(status)),
    encodeRlpInteger(BigInt(cumulativeGasUsed)),
    encodeRlpString(fromHex(logsBloom)),
    encodeRlpList(
      logs.map(({ address, topics, data }) => {
        const encodedTopics = encodeRlpList(topics.map((topic) => encodeRlpString(fromHex(topic))));
        return encodeRlpList([encodeRlpString(fromHex(address)), encodedTopics, encodeRlpString(fromHex(data))]);
      }),
    ),
  ]);
  const isTyped = BigInt(type) > 0n;
  return hexOf(isTyped ? Buffer.concat([Buffer.of(Number(type)), fields]) : fields);
}

function hexOf(bytes: Uint8Array): string {
  return `0x${Buffer.from(bytes).toString("hex")}`;
}

function refusal(method: string, code: number, message: string): EvmRequestError {
  return new EvmRequestError(method, { code, message });
}
