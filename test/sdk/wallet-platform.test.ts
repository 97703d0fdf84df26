/** Paying, staking and controlling subnets on the P-chain, with UTXOs from the Data API alone. */
import * as avalanchejs from "@avalabs/avalanchejs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Account, type Anything, NO_TX } from "./wallet.ts";
import { account, authorization, networkAt, partners, type ServedNetwork, stakers } from "./wallet-node.ts";

const { Address, L1Validator, Int, PChainOwner, pvm, pvmSerial, TransferableOutput, utils }: Anything = avalanchejs;

const PRIMARY_NETWORK = "11111111111111111111111111111111LpoYY";
const SECP256K1_FX = "spdxUxVJQbX85MGxMHbKw1sHxMnSqJ3QBzDyDYEP3h6TLuxqQ";
const SOME_VM = "mgj786NP7uDwBCcq6YwThhaN8FLyybkCa4zBWTQbNgmK6k9A6";
const receiver = account("k07").bytes;
const isLocked = ({ output }: Anything) => utils.isStakeableLockOut(output);

/** Validators, delegators and subnets of one, two and three owners are there; none is an L1 yet. */
describe("on the P-chain", () => {
  let network: ServedNetwork;
  beforeAll(async () => {
    network = await networkAt({ P: 34, X: 31, C: 10 });
  });
  afterAll(() => network?.stop());

  test.each([
    ["k00", [account("k00")]],
    ["two of three", [partners[0]!, partners[2]!]],
    ["two accounts together", [account("k03"), account("k04")]],
  ] as const)("%s pays, and exports to X and C", async (_, owners) => {
    const { wallet } = network;
    const platform = await wallet.platform(owners);
    const outputs = [TransferableOutput.fromNative(wallet.context.avaxAssetID, 1_000_000n, [receiver])];
    const tx = await wallet.accepts("P", pvm.newBaseTx({ ...platform, outputs }, wallet.context), owners);
    expect(tx.getInputs().length).toBeGreaterThan(0);
    for (const destinationChainId of [wallet.chainIds.X, wallet.chainIds.C]) {
      await wallet.accepts("P", pvm.newExportTx({ ...platform, outputs: [...outputs], destinationChainId }, wallet.context), owners);
    }
  });

  test("pays in another asset", async () => {
    const { wallet } = network;
    const owner = account("k01");
    const platform = await wallet.platform([owner]);
    const assetId = platform.utxos.map((utxo: Anything) => utxo.getAssetId()).find((id: string) => id !== wallet.context.avaxAssetID);
    const outputs = [TransferableOutput.fromNative(assetId, 3n, [receiver])];
    await wallet.accepts("P", pvm.newBaseTx({ ...platform, outputs }, wallet.context), [owner]);
  });

  test("leaves alone what is locked until later", async () => {
    const { wallet } = network;
    const owner = account("k03");
    const platform = await wallet.platform([owner]);
    const locked = platform.utxos.filter((utxo: Anything) => utxo.getOutputOwners().locktime.value() > platform.minIssuanceTime);
    expect(locked.length).toBeGreaterThan(0);
    const sum = platform.utxos.reduce((total: bigint, { output }: Anything) => total + output.amount(), 0n);
    const outputs = [TransferableOutput.fromNative(wallet.context.avaxAssetID, sum - 1_000_000_000n, [receiver])];
    expect(() => pvm.newBaseTx({ ...platform, outputs }, wallet.context)).toThrow(/insufficient funds/i);
  });

  test("becomes a validator, with free and with locked stake", async () => {
    const { wallet } = network;
    for (const [name, hasLocks] of [
      ["k00", false],
      ["k02", true],
    ] as const) {
      const owner = account(name);
      const platform = await wallet.platform([owner]);
      const staking = {
        ...platform,
        ...newValidator("l1f11", owner),
        start: 0n,
        end: platform.minIssuanceTime + 60n,
        subnetId: PRIMARY_NETWORK,
      };
      const tx = await wallet.accepts("P", pvm.newAddPermissionlessValidatorTx(staking, wallet.context), [owner]);
      expect(tx.stake.some(isLocked)).toBe(hasLocks);
    }
  });

  test("becomes a validator that is renewed", async () => {
    const { wallet } = network;
    for (const [name, hasLocks] of [
      ["k00", false],
      ["k02", true],
    ] as const) {
      const owner = account(name);
      const platform = await wallet.platform([owner]);
      const renewal = { ownerAddresses: [owner.bytes], autoCompoundRewardShares: 300_000, period: 60n };
      const unsigned = pvm.newAddAutoRenewedValidatorTx({ ...platform, ...newValidator("l1g12", owner), ...renewal }, wallet.context);
      const tx = await wallet.accepts("P", unsigned, [owner]);
      expect(tx.stake.some(isLocked)).toBe(hasLocks);
    }
  });

  test("changes how a validator is renewed", async () => {
    const { wallet } = network;
    const { validators } = await wallet.rpc.P.getCurrentValidators();
    const { txID, validatorAuthority } = validators.find((validator: Anything) => validator.nextPeriod !== undefined);
    const payer = account("k05");
    const { auth, authorizers } = authorization(
      validatorAuthority.addresses.map((text: string) => text.slice("P-".length)),
      1,
    );
    const config = { validatorTxId: txID, auth, autoCompoundRewardShares: 100_000, period: 0n };
    const unsigned = pvm.newSetAutoRenewedValidatorConfigTx({ ...(await wallet.platform([payer])), ...config }, wallet.context);
    await wallet.accepts("P", unsigned, [payer], authorizers);
  });

  test("delegates, with free and with locked stake", async () => {
    const { wallet } = network;
    const { minIssuanceTime: now } = await wallet.platform([account("k00")]);
    const end = now + 16n;
    const { validators } = await wallet.ask(
      "/validators?validationStatus=active&subnetId=11111111111111111111111111111111LpoYY&pageSize=100",
    );
    const roomy = ({ endTimestamp, delegationCapacity, stakingType }: Anything) =>
      stakingType === "fixed" && endTimestamp >= end && BigInt(delegationCapacity) >= 30_000_000_000n;
    const { nodeId } = validators.find(roomy);
    for (const [owners, hasLocks] of [
      [[account("k00")], false],
      [[account("k01")], true],
      [partners.slice(1), true],
    ] as const) {
      const staking = { nodeId, start: 0n, end, weight: 26_000_000_000n, subnetId: PRIMARY_NETWORK, rewardAddresses: [receiver] };
      const unsigned = pvm.newAddPermissionlessDelegatorTx({ ...(await wallet.platform(owners)), ...staking }, wallet.context);
      const tx = await wallet.accepts("P", unsigned, owners);
      expect(tx.stake.some(isLocked)).toBe(hasLocks);
    }
  });

  test("creates a subnet of three owners, paid by two of three", async () => {
    const { wallet } = network;
    const owners = partners.slice(0, 2);
    const subnetOwners = partners.map(({ bytes }) => bytes).sort(utils.bytesCompare);
    const unsigned = pvm.newCreateSubnetTx(
      { ...(await wallet.platform(owners)), subnetOwners, threshold: 2, locktime: 0n },
      wallet.context,
    );
    await wallet.accepts("P", unsigned, owners);
  });

  test("creates chains, gives subnets away and makes them L1s, whoever owns them", async () => {
    const { wallet } = network;
    const { subnets: all } = await wallet.ask("/subnets?pageSize=100");
    const subnets = all.filter((subnet: Anything) => subnet.subnetId !== PRIMARY_NETWORK);
    expect(new Set(subnets.map((subnet: Anything) => subnet.threshold))).toEqual(new Set([1, 2]));
    const payer = account("k05");
    const platform = await wallet.platform([payer]);
    for (const { subnetId, subnetOwnershipInfo } of subnets) {
      const { auth: subnetAuth, authorizers } = authorization(subnetOwnershipInfo.addresses, subnetOwnershipInfo.threshold);
      const accepts = (unsigned: Anything) => wallet.accepts("P", unsigned, [payer], authorizers);
      const common = { ...platform, subnetId, subnetAuth };
      const chain = { chainName: "a chain", fxIds: [SECP256K1_FX], genesisData: { some: "genesis" }, vmId: SOME_VM };
      await accepts(pvm.newCreateChainTx({ ...common, ...chain }, wallet.context));
      await accepts(pvm.newTransferSubnetOwnershipTx({ ...common, subnetOwners: [receiver], threshold: 1 }, wallet.context));
      const l1 = {
        chainId: wallet.chainIds.C,
        address: account("k05").evmBytes,
        validators: [newL1Validator("l1La"), newL1Validator("l1Lb")],
      };
      await accepts(pvm.newConvertSubnetToL1Tx({ ...common, ...l1 }, wallet.context));
    }
  });

  test("adds and removes a subnet's validator", async () => {
    const { wallet } = network;
    const payer = account("k05");
    const platform = await wallet.platform([payer]);
    const { validators: all } = await wallet.ask("/validators?validationStatus=active&pageSize=100");
    const onSubnet = all.find((validator: Anything) => validator.subnetId !== PRIMARY_NETWORK);
    const { subnetId, nodeId } = onSubnet;
    const taken = new Set(
      all.filter((validator: Anything) => validator.subnetId === subnetId).map((validator: Anything) => validator.nodeId),
    );
    const end = platform.minIssuanceTime + 16n;
    const free = all.find(
      (validator: Anything) => !taken.has(validator.nodeId) && validator.stakingType === "fixed" && validator.endTimestamp >= end,
    );
    const { subnetOwnershipInfo } = await wallet.ask(`/subnets/${subnetId}`);
    const { auth: subnetAuth, authorizers } = authorization(subnetOwnershipInfo.addresses, subnetOwnershipInfo.threshold);
    const adding = { ...platform, subnetId, subnetAuth, nodeId: free.nodeId, start: 0n, end, weight: 3n };
    await wallet.accepts("P", pvm.newAddSubnetValidatorTx(adding, wallet.context), [payer], authorizers);
    const removing = { ...platform, subnetId, subnetAuth, nodeId };
    await wallet.accepts("P", pvm.newRemoveSubnetValidatorTx(removing, wallet.context), [payer], authorizers);
  });
});

describe("on the P-chain after stakers have left", () => {
  let network: ServedNetwork;
  beforeAll(async () => {
    network = await networkAt({ P: 164, X: 31, C: 10 });
  });
  afterAll(() => network?.stop());

  /** Of what the owners can spend: what staking transactions of theirs left them, and what it was. */
  async function fromStaking(owners: readonly Account[]): Promise<{ platform: Anything; rewards: Anything[]; stakes: Anything[] }> {
    const { wallet } = network;
    const platform = await wallet.platform(owners);
    const rewards: Anything[] = [];
    const stakes: Anything[] = [];
    for (const utxo of platform.utxos) {
      const tx = await wallet.ask(`/blockchains/p-chain/transactions/${utxo.utxoId.txID.toString()}`);
      const emitted = tx.emittedUtxos.filter(({ rewardType }: Anything) => rewardType === undefined);
      if (!emitted.some(({ utxoId }: Anything) => utxoId === utxo.ID())) rewards.push(utxo);
      // stake comes after change
      else if (tx.amountStaked.length > 0 && emitted.at(-1).utxoId === utxo.ID()) stakes.push(utxo);
    }
    return { platform, rewards, stakes };
  }

  test("finds every output that was ever made among those of the transaction that made it, but for genesis", async () => {
    const { wallet } = network;
    const made = new Map<string, string[]>();
    for (const [chain, alias] of [
      ["P", "p-chain"],
      ["X", "x-chain"],
      ["C", "c-chain"],
    ] as const) {
      for (const utxo of await wallet.listAll(`/blockchains/${alias}/utxos?includeSpent=true&pageSize=100`)) {
        if (utxo.createdOnChainId !== wallet.chainIds[chain]) continue;
        const path = `/blockchains/${alias}/transactions/${utxo.txHash ?? utxo.creationTxHash}`;
        made.set(path, [...(made.get(path) ?? []), utxo.utxoId]);
      }
    }
    made.delete(`/blockchains/p-chain/transactions/${NO_TX}`);
    expect(made.size).toBeGreaterThan(100);
    for (const [path, utxoIds] of made) {
      const { emittedUtxos } = await wallet.ask(path);
      expect(emittedUtxos.map(({ utxoId }: Anything) => utxoId).sort(), path).toEqual(utxoIds.sort());
    }
  });

  test.each([
    ["a returned stake", "stakes", [account("k00")]],
    ["one's rewards", "rewards", [account("k05")]],
    ["rewards of three", "rewards", partners.slice(0, 2)],
  ] as const)("spends %s", async (_, kind, owners) => {
    const { wallet } = network;
    const { platform, [kind]: wanted } = await fromStaking(owners);
    expect(wanted.length).toBeGreaterThan(0);
    const [largestOther] = platform.utxos
      .filter((utxo: Anything) => !wanted.includes(utxo) && utils.isTransferOut(utxo.output))
      .sort((a: Anything, b: Anything) => Number(b.output.amount() - a.output.amount()));
    // half of the largest pays the fee, whatever that is; the rest takes every other output
    const amount = wanted.reduce((sum, { output }) => sum + output.amount(), largestOther.output.amount() / 2n);
    const outputs = [TransferableOutput.fromNative(wallet.context.avaxAssetID, amount, [receiver])];
    const unsigned = pvm.newBaseTx({ ...platform, utxos: [...wanted, largestOther], outputs }, wallet.context);
    const tx = await wallet.accepts("P", unsigned, owners);
    expect(tx.getInputs()).toHaveLength(wanted.length + 1);
  });
});

function newValidator(name: string, owner: Account) {
  const { nodeID, pop } = stakers.get(name)!;
  return {
    nodeId: nodeID,
    publicKey: utils.hexToBuffer(pop.publicKey),
    signature: utils.hexToBuffer(pop.proofOfPossession),
    rewardAddresses: [owner.bytes],
    delegatorRewardsOwner: [owner.bytes],
    shares: 20_000,
    weight: 2_000_000_000_000n,
  };
}

function newL1Validator(name: string) {
  const { nodeID, pop } = stakers.get(name)!;
  const owner = new PChainOwner(new Int(1), [new Address(receiver)]);
  const signer = new pvmSerial.ProofOfPossession(utils.hexToBuffer(pop.publicKey), utils.hexToBuffer(pop.proofOfPossession));
  return L1Validator.fromNative(nodeID, 10n, 1_000_000_000n, signer, owner, owner);
}
