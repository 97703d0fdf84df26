/** What a node of Fuji answered about its validators in 2023. */
import { describe, expect, test } from "vitest";
import { formatAddress, splitAddress } from "../../../src/base/bytes/address.ts";
import { formatId, formatNodeId, parseId, parseNodeId } from "../../../src/base/bytes/cb58.ts";
import { proofOfPossessionProblem } from "../../../src/base/signatures/bls.ts";
import { primaryRewardParameters, reward } from "../../../src/chains/platform/rewards.ts";
import { fuji } from "../../../src/network/presets.ts";
import { bytesOf } from "../json-lines.ts";
import { type Item, itemsOf, stated } from "./items.ts";

const NANO = 1_000_000_000n;
const items = itemsOf("validator-json");

interface Owner {
  readonly addresses: readonly string[];
}

interface Validator {
  readonly txID: string;
  readonly nodeID: string;
  readonly startTime: string;
  readonly endTime: string;
  readonly weight: string;
  readonly potentialReward: string;
  readonly validationRewardOwner: Owner;
  readonly delegationRewardOwner: Owner;
  readonly signer?: { readonly publicKey: string; readonly proofOfPossession: string };
}

const validatorOf = (item: Item) => stated<{ validator: Validator }>(item).validator;
const durationOf = ({ startTime, endTime }: Validator) => BigInt(endTime) - BigInt(startTime);

/** The largest supply at which the validator's stake earns no less than the node said; undefined if it earns more there. */
function impliedSupply(validator: Validator): bigint | undefined {
  const parameters = primaryRewardParameters(fuji, BigInt(validator.startTime));
  const stake = { duration: durationOf(validator), weight: BigInt(validator.weight) };
  const expected = BigInt(validator.potentialReward);
  let [enough, less] = [1n, parameters.supplyCap];
  while (less - enough > 1n) {
    const supply = (enough + less) / 2n;
    if (reward(parameters, { ...stake, supply }) >= expected) enough = supply;
    else less = supply;
  }
  return reward(parameters, { ...stake, supply: enough }) === expected ? enough : undefined;
}

describe("validators of Fuji", () => {
  test("have IDs, nodes, owners and BLS keys that are read and written again the same", () => {
    expect(items).toHaveLength(469);
    let signers = 0;
    for (const item of items) {
      const { txID, nodeID, validationRewardOwner, delegationRewardOwner, signer } = validatorOf(item);
      expect(formatId(parseId(txID)), item.id).toBe(txID);
      expect(formatNodeId(parseNodeId(nodeID)), item.id).toBe(nodeID);
      for (const address of [...validationRewardOwner.addresses, ...delegationRewardOwner.addresses]) {
        const { chainAlias, hrp, bytes } = splitAddress(address);
        expect(formatAddress(chainAlias, hrp, bytes.toString("hex")), item.id).toBe(address);
        expect([chainAlias, hrp, bytes.length], item.id).toEqual(["P", "fuji", 20]);
      }
      if (signer === undefined) continue;
      expect(proofOfPossessionProblem(signer.publicKey.slice(2), bytesOf(signer.proofOfPossession)), item.id).toBeUndefined();
      signers++;
    }
    expect(signers).toBe(5);
  });

  test("have the potential rewards that follow from one supply, but for one whose end time the authors of the source changed", () => {
    const supplies = items.map((item) => ({ id: item.id, supply: impliedSupply(validatorOf(item)) }));
    // genesis and what was minted by then. Stakes of a day and of a year imply the same
    const isLikely = (supply: bigint | undefined) => supply !== undefined && supply > 368_881_000n * NANO && supply < 373_490_000n * NANO;
    expect(supplies.filter(({ supply }) => !isLikely(supply)).map(({ id }) => id)).toEqual(["fuji-validator-Vqx99PnhbMdN"]);
  });

  test("stake no longer than a year, but for the same one, which no network accepts", () => {
    const tooLong = items.filter((item) => durationOf(validatorOf(item)) > fuji.staking.maxStakeDuration);
    expect(tooLong.map(({ id }) => id)).toEqual(["fuji-validator-Vqx99PnhbMdN"]);
    // in 2123: the authors of the source replaced the end time, so the reward is that of another duration
    expect(validatorOf(tooLong[0]!).endTime).toBe("4844249830");
  });
});
