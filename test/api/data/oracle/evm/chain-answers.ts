/** Reads a whole EVM chain from a node block by block, without any of Firn's own code. */

export interface RawAuthorization {
  readonly chainId: string;
  readonly address: string;
  readonly nonce: string;
  readonly yParity: string;
  readonly r: string;
  readonly s: string;
}

export interface RawTransaction {
  readonly hash: string;
  readonly from: string;
  readonly to: string | null;
  readonly nonce: string;
  readonly type: string;
  readonly value: string;
  readonly gas: string;
  readonly input: string;
  readonly chainId?: string;
  readonly authorizationList?: readonly RawAuthorization[];
  readonly maxFeePerGas?: string;
  readonly maxPriorityFeePerGas?: string;
}

export interface RawLog {
  readonly address: string;
  readonly topics: readonly string[];
  readonly data: string;
  readonly logIndex: string;
}

export interface RawReceipt {
  readonly transactionHash: string;
  readonly status: string;
  readonly gasUsed: string;
  readonly effectiveGasPrice: string;
  readonly contractAddress: string | null;
  readonly logs: readonly RawLog[];
}

export interface RawFrame {
  readonly type: string;
  readonly from?: string;
  readonly to?: string;
  readonly value?: string;
  readonly gas?: string;
  readonly gasUsed?: string;
  readonly error?: string;
  readonly input?: string;
  readonly output?: string;
  readonly calls?: readonly RawFrame[];
}

export interface RawBlock {
  readonly number: string;
  readonly hash: string;
  readonly parentHash: string;
  readonly timestamp: string;
  readonly gasLimit: string;
  readonly baseFeePerGas?: string;
  readonly blockGasCost?: string;
  readonly settledHeight?: string;
  readonly withdrawalsRoot?: string;
  readonly timestampMilliseconds?: string;
  readonly minDelayExcess?: string;
  /** atomic transactions of the C-chain */
  readonly blockExtraData?: string;
  readonly transactions: readonly RawTransaction[];
}

export interface BlockAnswers {
  readonly block: RawBlock;
  readonly receipts: readonly RawReceipt[];
  /** the transactions' own calls */
  readonly traces: readonly RawFrame[];
  /** of transactions in which a CREATE2 failed, where the node tells: the salts of all of them */
  readonly salts: ReadonlyMap<string, readonly RawSalt[]>;
  /** of accounts whose creation failed in the block: nonces before it, where the node tells */
  readonly nonces: ReadonlyMap<string, bigint>;
}

/** A CREATE2 that was met in the code, be it that it made a frame or that it did not even begin. */
export interface RawSalt {
  readonly creator: string;
  /** 1: in the transaction's own call */
  readonly depth: number;
  readonly salt: string;
}

/** What a node answered that it refused. */
export class Refused extends Error {}

export type Ask = (method: string, params: readonly unknown[]) => Promise<unknown>;

/** One call at a time over HTTP. Rejects with `Refused` what the node answers with an error. */
export function asking(url: string): Ask {
  return async (method, params) => {
    const answer = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    });
    const { result, error } = (await answer.json()) as { result?: unknown; error?: { message: string } };
    if (error !== undefined) throw new Refused(`${method}: ${error.message}`);
    return result;
  };
}

export const hexOf = (height: number) => `0x${height.toString(16)}`;

/** Blocks 0 to the head, or to `until`. @param askBlocks the node that tells the blocks themselves, and their receipts */
export async function readChain(ask: Ask, until?: number, askBlocks = ask): Promise<BlockAnswers[]> {
  const head = until ?? Number(await ask("eth_blockNumber", []));
  const answers: BlockAnswers[] = [];
  for (let height = 0; height <= head; height++) answers.push(await readBlock(ask, height, askBlocks));
  return answers;
}

async function readBlock(ask: Ask, height: number, askBlocks: Ask): Promise<BlockAnswers> {
  const block = (await askBlocks("eth_getBlockByNumber", [hexOf(height), true])) as RawBlock;
  const receipts = (await askBlocks("eth_getBlockReceipts", [hexOf(height)])) as RawReceipt[];
  const salts = new Map<string, readonly RawSalt[]>();
  if (block.transactions.length === 0) return { block, receipts, traces: [], salts, nonces: new Map() };
  const answered = (await ask("debug_traceBlockByNumber", [hexOf(height), { tracer: "callTracer" }])) as { result: RawFrame }[];
  const traces = answered.map(({ result }) => result);
  for (const [index, { hash }] of block.transactions.entries()) {
    if (!lacksSalt(traces[index]!)) continue;
    const found = await saltsOf(ask, hash);
    if (found !== undefined) salts.set(hash, found);
  }
  return { block, receipts, traces, salts, nonces: await noncesOf(ask, new Set(traces.flatMap(failedCreators)), height - 1) };
}

/** Of creations whose address the trace lacks. */
function failedCreators({ type, from, to, calls = [] }: RawFrame): string[] {
  const own = type === "CREATE" && !to ? [from!.toLowerCase()] : [];
  return [...own, ...calls.flatMap(failedCreators)];
}

async function noncesOf(ask: Ask, accounts: ReadonlySet<string>, height: number): Promise<Map<string, bigint>> {
  const nonces = new Map<string, bigint>();
  for (const account of accounts) {
    try {
      nonces.set(account, BigInt((await ask("eth_getTransactionCount", [account, hexOf(height)])) as string));
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
    }
  }
  return nonces;
}

function lacksSalt({ type, to, calls = [] }: RawFrame): boolean {
  return (type === "CREATE2" && !to) || calls.some(lacksSalt);
}

/** What lies on the stack for each CREATE2: value, offset and length of the code, salt. */
const STACK_OF_CREATE2 =
  "{found:[],step(log){if(log.op.toString()==='CREATE2')this.found.push([toHex(log.contract.getAddress()),log.getDepth(),log.stack.peek(3).toString(16)])},fault(){},result(){return this.found}}";

/** Undefined: the node does not trace so. */
async function saltsOf(ask: Ask, hash: string): Promise<RawSalt[] | undefined> {
  try {
    const found = (await ask("debug_traceTransaction", [hash, { tracer: STACK_OF_CREATE2 }])) as [string, number, string][];
    return found.map(([creator, depth, digits]) => ({ creator, depth, salt: `0x${digits.padStart(64, "0")}` }));
  } catch (error) {
    if (error instanceof Refused) return undefined;
    throw error;
  }
}
