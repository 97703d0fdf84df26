/** `avax.getUTXOs`: what P and X exported to addresses on the C-chain. */

import { formatAddress } from "../../../base/bytes/address.ts";
import { formatId, parseId } from "../../../base/bytes/cb58.ts";
import { EMPTY_ID, EMPTY_SHORT_ID, type Id } from "../../../base/bytes/id.ts";
import { TextError } from "../../../base/errors/text-error.ts";
import type { JsonObject } from "../../../base/json/go-encode.ts";
import { echoed, quoteText } from "../../../base/text/go-text.ts";
import { mapInTurns } from "../../../base/work/work.ts";
import { RpcError } from "../errors.ts";
import { method, type RpcContext } from "../method.ts";
import { type Encoding, encodeBytes, encoding, integer, listOf, object, type Params, string } from "../params.ts";
import { chainAliases } from "../service.ts";
import { atomicUtxoPage, FIRST_PAGE, MAX_PAGE_UTXOS, type PageIndex, type PageRequest, type PageUtxo } from "../utxo-pages.ts";
import { type AddressParser, addressParser } from "./addresses.ts";
import { type Dialect, dialectOf } from "./dialect.ts";

const MAX_ADDRESSES = 1024;
const params = {
  addresses: listOf(string),
  sourceChain: string,
  limit: integer(32),
  startIndex: object({ address: string, utxo: string }),
  encoding,
};
type PageParams = Params<typeof params>;

/** The end of saevm's last page: after every address and UTXO. */
const TERMINAL: PageIndex = { address: "f".repeat(40), utxoId: "f".repeat(64) };
const NOWHERE: PageIndex = { address: EMPTY_SHORT_ID, utxoId: EMPTY_ID };

export const getUtxos = method({
  name: "avax.getUTXOs",
  summary: "UTXOs that another chain exported to C, by address.",
  cost: "O(page × addresses), at most 1,024 of both, in turns",
  computeUnits: 20,
  params,
  isRenderedOncePerHeight: true,
  handler: async (params, context) => ((await dialectOf(context)) === "coreth" ? corethPage(params, context) : saevmPage(params, context)),
});

async function corethPage(params: PageParams, context: RpcContext): Promise<JsonObject> {
  const count = params.addresses.length;
  if (count === 0) throw new RpcError("no addresses provided");
  if (count > MAX_ADDRESSES) throw new RpcError(`number of addresses given, ${count}, exceeds maximum, ${MAX_ADDRESSES}`);
  if (params.sourceChain === "") throw new RpcError("no source chain provided");
  const source = await sourceChain(context, params.sourceChain, "problem parsing");
  const request = await pageRequest("coreth", params, context);
  const { utxos, end } = await readPage(context, source, request);
  return pageReply(context, utxos, end, params.encoding, "problem encoding utxo");
}

async function saevmPage(params: PageParams, context: RpcContext): Promise<JsonObject> {
  const source = await sourceChain(context, params.sourceChain, "parsing");
  const count = params.addresses.length;
  if (count > MAX_ADDRESSES) throw new RpcError(`too many addresses: ${count} exceeds ${MAX_ADDRESSES}`);
  const request = await pageRequest("saevm", params, context);
  const { start, limit } = request;
  if (start.address === TERMINAL.address && start.utxoId === TERMINAL.utxoId) return pageReply(context, [], NOWHERE, params.encoding, "");
  // One more than requested: the next page starts there.
  const { utxos, end } = await readPage(context, source, { ...request, limit: limit + 1 });
  const hasMore = utxos.length > limit;
  return pageReply(context, utxos.slice(0, limit), hasMore ? end : TERMINAL, params.encoding, "encoding utxo");
}

function readPage({ reader, chain }: RpcContext, source: Id, request: PageRequest) {
  return atomicUtxoPage(reader, { destination: chain.chainId, source }, request);
}

async function sourceChain(context: RpcContext, name: string, verb: string): Promise<Id> {
  const chainId = (await chainAliases(context)).get(name);
  if (chainId === undefined) throw new RpcError(`${verb} source chainID ${quoteText(name)}: there is no ID with alias: ${echoed(name)}`);
  return chainId;
}

async function pageRequest(dialect: Dialect, params: PageParams, context: RpcContext): Promise<PageRequest> {
  const prefix = dialect === "coreth" ? "couldn't parse" : "parsing";
  const parse = await addressParser(dialect, context);
  const addresses = await mapInTurns(context.work, params.addresses, (text) =>
    parse(text, (cause) => `${prefix} address ${quoteText(text)}: ${cause}`),
  );
  const start = startIndex(dialect, params.startIndex, parse);
  return { addresses, start, limit: params.limit === 0 ? MAX_PAGE_UTXOS : Math.min(params.limit, MAX_PAGE_UTXOS) };
}

function startIndex(dialect: Dialect, { address, utxo }: PageParams["startIndex"], parse: AddressParser): PageIndex {
  if (address === "" && utxo === "") return FIRST_PAGE;
  const texts =
    dialect === "coreth"
      ? { address: "couldn't parse start index address", utxo: "couldn't parse start index utxo" }
      : { address: "parsing start address", utxo: `parsing start utxoID ${quoteText(utxo)}` };
  const wrap = (cause: string) => `${texts.address} ${quoteText(address)}: ${cause}`;
  const startAddress = parse(address, wrap);
  try {
    return { address: startAddress, utxoId: parseId(utxo) };
  } catch (error) {
    throw error instanceof TextError ? new RpcError(`${texts.utxo}: ${error.message}`) : error;
  }
}

async function pageReply(
  { chain, network, work }: RpcContext,
  utxos: readonly PageUtxo[],
  end: PageIndex,
  as: Encoding,
  what: string,
): Promise<JsonObject> {
  return {
    numFetched: `${utxos.length}`,
    utxos: await mapInTurns(work, utxos, ({ bytes }) => encodeUtxo(bytes, as, what)),
    endIndex: { address: formatAddress(chain.alias, network.hrp, end.address), utxo: formatId(end.utxoId) },
    encoding: as,
  };
}

function encodeUtxo(bytes: Uint8Array, as: Encoding, what: string): string {
  try {
    return encodeBytes(bytes, as);
  } catch (error) {
    throw error instanceof TextError ? new RpcError(`${what}: ${error.message}`) : error;
  }
}
