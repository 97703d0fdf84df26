import { formatId } from "../../primitives/cb58.ts";
import type { Id, ShortId } from "../../primitives/id.ts";
import { TextError } from "../../primitives/text-error.ts";
import { encodeBytes } from "../byte-encoding.ts";
import { parseAddresses } from "../chain-aliases.ts";
import { RpcError } from "../errors.ts";
import { method } from "../method.ts";
import { bool, type Encoding, encoding, listOf, string } from "../params.ts";
import { assetAmounts } from "./asset-amounts.ts";
import { saturatingAdd } from "./balance.ts";
import { chainState } from "./chain-state.ts";
import { type StakedOutput, type StakedOutputs, stakedAmount, stakedOutputBytes, stakedOutputs } from "./staked-outputs.ts";

const MAX_ADDRESSES = 256;

/** Staked outputs that name one of the addresses, each once and in full, on all subnets (rpc-platform 4.5). */
export const getStake = method({
  name: "platform.getStake",
  summary: "Staked outputs that name one of the addresses, each once and in full, on all subnets.",
  cost: "O(stake of the addresses); stakers are read once per height",
  params: { addresses: listOf(string), validatorsOnly: bool, encoding },
  async handler({ addresses: texts, validatorsOnly: isValidatorsOnly, encoding: as }, context) {
    if (texts.length > MAX_ADDRESSES) {
      throw new RpcError(`${texts.length} addresses provided but this method can take at most ${MAX_ADDRESSES}`);
    }
    const addresses = await parseAddresses(context, texts);
    const all = outputsOf(await stakedOutputs(context, await chainState(context)), addresses);
    const staked = isValidatorsOnly ? all.filter(({ isOfValidator }) => isOfValidator) : all;
    const sums = new Map<Id, bigint>();
    for (const { assetId, amount } of staked.map(stakedAmount)) sums.set(assetId, saturatingAdd(sums.get(assetId) ?? 0n, amount));
    return {
      staked: `${sums.get(context.network.avaxAssetId) ?? 0n}`,
      stakeds: assetAmounts(sums),
      stakedOutputs: staked.map((output) => encodeOutput(output, as)),
      encoding: as,
    };
  },
});

function outputsOf(byAddress: StakedOutputs, addresses: readonly ShortId[]): StakedOutput[] {
  const found = new Set(addresses.flatMap((address) => byAddress.get(address) ?? []));
  return [...found].sort((a, b) => a.sequence - b.sequence);
}

function encodeOutput(staked: StakedOutput, as: Encoding): string {
  try {
    return encodeBytes(stakedOutputBytes(staked), as);
  } catch (error) {
    if (!(error instanceof TextError)) throw error;
    throw new RpcError(`couldn't encode output ${formatId(staked.output.assetId)} as ${as}: ${error.message}`);
  }
}
