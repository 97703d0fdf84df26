/** Parses the genesis configuration of a network from its JSON file (chain-formats 11.1). Addresses and node IDs become hex. */

import { splitAddress } from "../base/bytes/address.ts";
import { parseNodeId } from "../base/bytes/cb58.ts";
import { decodeHex } from "../base/bytes/hex.ts";
import type { BlsPublicKey, NodeId, ShortId } from "../base/bytes/id.ts";
import { InputError, JsonInput, parseJsonExactly } from "../base/json/json-input.ts";

/** nAVAX that can be spent from `locktime` (Unix seconds) on. */
interface Unlock {
  readonly amount: bigint;
  readonly locktime: bigint;
}

export interface Allocation {
  readonly ethereumAddress: ShortId;
  readonly address: ShortId;
  /** on the X-chain */
  readonly initialAmount: bigint;
  /** on the P-chain; staked if the address is in `initialStakedFunds` */
  readonly unlockSchedule: readonly Unlock[];
}

export interface InitialStaker {
  readonly nodeId: NodeId;
  readonly rewardAddress: ShortId;
  /** in millionths */
  readonly delegationFee: number;
  readonly signer?: { readonly publicKey: BlsPublicKey; readonly proofOfPossession: Uint8Array };
}

export interface GenesisConfig {
  readonly networkId: number;
  readonly allocations: readonly Allocation[];
  /** Unix seconds */
  readonly startTime: bigint;
  /** seconds */
  readonly initialStakeDuration: bigint;
  readonly initialStakeDurationOffset: bigint;
  readonly initialStakedFunds: readonly ShortId[];
  readonly initialStakers: readonly InitialStaker[];
  readonly cChainGenesis: string;
  readonly message: string;
}

const U32_MAX = 2n ** 32n - 1n;
const MILLION = 1_000_000n;

/** Parses and checks the text of a genesis file. */
export function parseGenesisFile(text: string, fileName = "genesis.json"): GenesisConfig {
  const file = new JsonInput(parseExactly(text, fileName), fileName);
  const config = {
    networkId: Number(file.member("networkID").integer(U32_MAX)),
    allocations: file.member("allocations").list().map(readAllocation),
    startTime: file.member("startTime").integer(),
    initialStakeDuration: file.member("initialStakeDuration").integer(),
    initialStakeDurationOffset: file.member("initialStakeDurationOffset").integer(),
    initialStakedFunds: file.member("initialStakedFunds").list().map(readAddress),
    initialStakers: file.member("initialStakers").list().map(readStaker),
    cChainGenesis: file.member("cChainGenesis").text(),
    message: file.optionalMember("message")?.text() ?? "",
  };
  verify(config, fileName);
  return config;
}

function parseExactly(text: string, fileName: string): unknown {
  try {
    return parseJsonExactly(text);
  } catch (error) {
    throw new InputError("input-json", `${fileName} is not JSON: ${(error as Error).message}`, {}, { cause: error });
  }
}

function readAllocation(allocation: JsonInput): Allocation {
  return {
    ethereumAddress: allocation.member("ethAddr").read((text) => fixedHex(text, 20), "20 bytes as 0x…"),
    address: readAddress(allocation.member("avaxAddr")),
    initialAmount: allocation.member("initialAmount").integer(),
    unlockSchedule: allocation.optionalMember("unlockSchedule")?.list().map(readUnlock) ?? [],
  };
}

function readUnlock(unlock: JsonInput): Unlock {
  return { amount: unlock.member("amount").integer(), locktime: unlock.optionalMember("locktime")?.integer() ?? 0n };
}

function readStaker(staker: JsonInput): InitialStaker {
  const signer = staker.optionalMember("signer");
  return {
    nodeId: staker.member("nodeID").read(parseNodeId, "a node ID such as NodeID-…"),
    rewardAddress: readAddress(staker.member("rewardAddress")),
    delegationFee: Number(staker.member("delegationFee").integer(MILLION)),
    ...(signer && { signer: readSigner(signer) }),
  };
}

function readSigner(signer: JsonInput): InitialStaker["signer"] & object {
  const proof = signer.member("proofOfPossession").read((text) => fixedHex(text, 96), "96 bytes as 0x…");
  return {
    publicKey: signer.member("publicKey").read((text) => fixedHex(text, 48), "48 bytes as 0x…"),
    proofOfPossession: Buffer.from(proof, "hex"),
  };
}

/** The address may have any chain and network prefix; the node does not check them either. */
function readAddress(address: JsonInput): ShortId {
  return address.read((text) => {
    const { bytes } = splitAddress(text);
    if (bytes.length !== 20) throw new RangeError(`it holds ${bytes.length} bytes`);
    return bytes.toString("hex");
  }, "an address of 20 bytes such as X-local1…");
}

function fixedHex(text: string, length: number): string {
  const bytes = decodeHex(text, { checksum: false });
  if (bytes.length !== length) throw new RangeError(`it holds ${bytes.length} bytes`);
  return bytes.toString("hex");
}

/** Checks that involve several members (chain-formats 11.3). */
function verify(config: GenesisConfig, fileName: string): void {
  const refuse = (problem: string) => new InputError("genesis", `${fileName}: ${problem}`);
  const { initialStakers, initialStakedFunds, initialStakeDuration, initialStakeDurationOffset, allocations } = config;
  if (initialStakers.length === 0) throw refuse("initialStakers is empty; a network needs at least one validator");
  if (initialStakedFunds.length === 0) throw refuse("initialStakedFunds is empty; name at least one address of the allocations");
  if (new Set(initialStakedFunds).size < initialStakedFunds.length) throw refuse("initialStakedFunds names an address twice");
  if (initialStakeDuration <= initialStakeDurationOffset * BigInt(initialStakers.length - 1)) {
    throw refuse("initialStakeDuration is too low; it must exceed the sum of the offsets between the stakers");
  }
  const staked = new Set(initialStakedFunds);
  const stake = allocations.flatMap((allocation) => (staked.has(allocation.address) ? allocation.unlockSchedule : []));
  if (stake.reduce((sum, { amount }) => sum + amount, 0n) < BigInt(initialStakers.length)) {
    throw refuse("the unlock schedules of initialStakedFunds hold too little to stake");
  }
  if (config.cChainGenesis === "") throw refuse("cChainGenesis is empty; it must hold the C-chain's genesis JSON");
}
