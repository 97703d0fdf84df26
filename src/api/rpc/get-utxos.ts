/** getUTXOs of the P-chain and of asset chains: native UTXOs, or those that another chain exported to this one (rpc-platform 4.1). */

import { formatAddress } from "../../base/bytes/address.ts";
import { formatId, parseId } from "../../base/bytes/cb58.ts";
import type { Id } from "../../base/bytes/id.ts";
import { TextError } from "../../base/errors/text-error.ts";
import type { JsonValue } from "../../base/json/go-encode.ts";
import { echoed, quoteText } from "../../base/text/go-text.ts";
import { atOnce, later, type Steps } from "../../base/work/awaitable.ts";
import { mapInTurns } from "../../base/work/work.ts";
import { PLATFORM_UTXOS } from "../../index/tables.ts";
import { RpcError } from "./errors.ts";
import { type Method, method, type RpcContext } from "./method.ts";
import { type Encoding, encodeBytes, encoding, integer, listOf, object, string } from "./params.ts";
import { chainAliases, parseAddresses } from "./service.ts";
import { atomicUtxoPage, FIRST_PAGE, MAX_PAGE_UTXOS, nativeUtxoPage, type PageIndex, type PageUtxo } from "./utxo-pages.ts";

const MAX_ADDRESSES = 1024;

interface UtxosMethodOptions {
  readonly name: string;
  /** what the error says if the encoding does not encode bytes */
  target(encoding: Encoding): string;
}

export function utxosMethod({ name, target }: UtxosMethodOptions): Method {
  return method({
    name,
    summary: "UTXOs of addresses in pages of up to 1,024, native or exported by another chain; those of the newest block first.",
    cost: "O(page × addresses), whatever the addresses own",
    computeUnits: 20,
    isRenderedOncePerHeight: true,
    params: {
      addresses: listOf(string),
      limit: integer(32),
      startIndex: object({ address: string, utxo: string }),
      sourceChain: string,
      encoding,
    },
    handler: (params, context) => atOnce(pageSteps(params, context, target)),
  });
}

interface PageParams {
  readonly addresses: readonly string[];
  readonly limit: number;
  readonly startIndex: { readonly address: string; readonly utxo: string };
  readonly sourceChain: string;
  readonly encoding: Encoding;
}

function* pageSteps(params: PageParams, context: RpcContext, target: UtxosMethodOptions["target"]): Steps<JsonValue> {
  const { addresses: texts, limit: asked, startIndex, sourceChain, encoding: as } = params;
  if (texts.length === 0) throw new RpcError("no addresses provided");
  if (texts.length > MAX_ADDRESSES) {
    throw new RpcError(`number of addresses given, ${texts.length}, exceeds maximum, ${MAX_ADDRESSES}`);
  }
  const { chainId, alias } = context.chain;
  const source = sourceChain === "" ? chainId : yield* later(sourceOf(context, sourceChain));
  const addresses = yield* later(parseAddresses(context, texts));
  const isFirst = startIndex.address === "" && startIndex.utxo === "";
  const start = isFirst ? FIRST_PAGE : yield* later(startOf(context, startIndex));
  const request = { addresses, start, limit: asked === 0 ? MAX_PAGE_UTXOS : Math.min(asked, MAX_PAGE_UTXOS) };
  const { utxos, end } = yield* later(
    source === chainId
      ? nativeUtxoPage(context.reader, context.chain.chain ?? PLATFORM_UTXOS, request)
      : atomicUtxoPage(context.reader, { destination: chainId, source }, request),
  );
  return {
    numFetched: `${utxos.length}`,
    utxos: yield* later(mapInTurns(context.work, utxos, (utxo) => encodeUtxo(utxo, as, target))),
    endIndex: { address: formatAddress(alias, context.network.hrp, end.address), utxo: formatId(end.utxoId) },
    encoding: as,
  };
}

async function sourceOf(context: RpcContext, text: string): Promise<Id> {
  const source = (await chainAliases(context)).get(text);
  if (source !== undefined) return source;
  throw new RpcError(`problem parsing source chainID ${quoteText(text)}: there is no ID with alias: ${echoed(text)}`);
}

/** The start is used if either member is sent; then both must parse. */
async function startOf(context: RpcContext, { address: text, utxo }: { address: string; utxo: string }): Promise<PageIndex> {
  const [address] = await within(`couldn't parse start index address ${quoteText(text)}`, async () => parseAddresses(context, [text]));
  const utxoId = await within("couldn't parse start index utxo", async () => parseId(utxo));
  return { address: address!, utxoId };
}

async function within<T>(where: string, parse: () => Promise<T>): Promise<T> {
  try {
    return await parse();
  } catch (error) {
    throw error instanceof TextError || error instanceof RpcError ? new RpcError(`${where}: ${error.message}`) : error;
  }
}

function encodeUtxo({ utxoId, bytes }: PageUtxo, as: Encoding, target: UtxosMethodOptions["target"]): string {
  try {
    return encodeBytes(bytes, as);
  } catch (error) {
    if (!(error instanceof TextError)) throw error;
    throw new RpcError(`couldn't encode UTXO ${formatId(utxoId)} as ${target(as)}: ${error.message}`);
  }
}
