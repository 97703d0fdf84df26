import { formatId } from "../../../base/bytes/cb58.ts";
import type { Id, ShortId } from "../../../base/bytes/id.ts";
import { encodeVersioned } from "../../../base/codec/codec.ts";
import { TextError } from "../../../base/errors/text-error.ts";
import type { Awaitable } from "../../../base/work/awaitable.ts";
import { distinctInTurns, eachInTurns, mapInTurns, sortInTurns, type Work } from "../../../base/work/work.ts";
import { outputAddresses, type TransferableOutput, transferableOutput, unlockedOutput } from "../../../chains/platform/output.ts";
import { isValidator } from "../../../chains/platform/state/staker.ts";
import { RpcError } from "../errors.ts";
import { method, type RpcContext } from "../method.ts";
import { bool, type Encoding, encodeBytes, encoding, listOf, string } from "../params.ts";
import { parseAddresses } from "../service.ts";
import { type ChainState, chainState, perState } from "./chain-state.ts";
import { assetAmounts, saturatingAdd } from "./get-balance.ts";
import { stakers } from "./snapshot.ts";
import { stakingTerms } from "./staking-terms.ts";

const MAX_ADDRESSES = 256;

/** Staked outputs on all subnets that name one of the addresses. Each counts once and in full (rpc-platform 4.5). */
export const getStake = method({
  name: "platform.getStake",
  summary: "Staked outputs on all subnets that name one of the addresses; each counts once and in full.",
  cost: "O(stake of the addresses, at most 256), in turns; stakers are read once per height",
  computeUnits: 50,
  params: { addresses: listOf(string), validatorsOnly: bool, encoding },
  async handler({ addresses: texts, validatorsOnly: isValidatorsOnly, encoding: as }, context) {
    if (texts.length > MAX_ADDRESSES) {
      throw new RpcError(`${texts.length} addresses provided but this method can take at most ${MAX_ADDRESSES}`);
    }
    const addresses = await parseAddresses(context, texts);
    const all = await outputsOf(await stakedOutputs(context, await chainState(context)), addresses, context.work);
    const staked = isValidatorsOnly ? all.filter(({ isOfValidator }) => isOfValidator) : all;
    const sums = new Map<Id, bigint>();
    await eachInTurns(context.work, staked, (output) => {
      const { assetId, amount } = stakedAmount(output);
      sums.set(assetId, saturatingAdd(sums.get(assetId) ?? 0n, amount));
    });
    return {
      staked: `${sums.get(context.network.avaxAssetId) ?? 0n}`,
      stakeds: assetAmounts(sums),
      stakedOutputs: await mapInTurns(context.work, staked, (output) => encodeOutput(output, as)),
      encoding: as,
    };
  },
});

async function outputsOf(byAddress: StakedOutputs, addresses: readonly ShortId[], work: Work): Promise<StakedOutput[]> {
  const found = addresses.flatMap((address) => byAddress.get(address) ?? []);
  return sortInTurns(work, await distinctInTurns(work, found), (a, b) => a.sequence - b.sequence);
}

function encodeOutput(staked: StakedOutput, as: Encoding): string {
  try {
    return encodeBytes(stakedOutputBytes(staked), as);
  } catch (error) {
    if (!(error instanceof TextError)) throw error;
    throw new RpcError(`couldn't encode output ${formatId(staked.output.assetId)} as ${as}: ${error.message}`);
  }
}

interface StakedOutput {
  /** order among all stakers: current ones first, then pending ones */
  readonly sequence: number;
  readonly isOfValidator: boolean;
  readonly output: TransferableOutput;
}

type StakedOutputs = ReadonlyMap<ShortId, readonly StakedOutput[]>;

/** Staked outputs by the addresses that own them, which getStake adds up. Built once per state of the chain. */
function stakedOutputs(context: RpcContext, state: ChainState): Awaitable<StakedOutputs> {
  return perState(state, context, "staked outputs", async () => {
    const { current, pending } = await stakers(context, state);
    const byAddress = new Map<ShortId, StakedOutput[]>();
    let sequence = 0;
    await eachInTurns(context.work, [...current.ordered, ...pending.ordered], (staker) => {
      for (const output of stakingTerms(staker).stake) {
        const staked = { sequence: sequence++, isOfValidator: isValidator(staker), output };
        for (const address of new Set(outputAddresses(output.output))) append(byAddress, address, staked);
      }
    });
    return byAddress;
  });
}

function append(byAddress: Map<ShortId, StakedOutput[]>, address: ShortId, staked: StakedOutput): void {
  const list = byAddress.get(address);
  if (list === undefined) byAddress.set(address, [staked]);
  else list.push(staked);
}

/** Encodes with codec version. */
function stakedOutputBytes({ output }: StakedOutput): Buffer {
  return encodeVersioned(transferableOutput, output);
}

function stakedAmount({ output }: StakedOutput): { assetId: Id; amount: bigint } {
  return { assetId: output.assetId, amount: unlockedOutput(output.output).amount };
}
