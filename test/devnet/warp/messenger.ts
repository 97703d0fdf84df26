/** Contracts with the interface of Avalanche's interchain messenger, and the messages that they send each other. */
import { readFileSync } from "node:fs";
import { encodeAbiParameters, type Hex, parseAbiParameters } from "viem";
import { compileYul } from "../../../scripts/compile-contracts.ts";
import type { Id } from "../../../src/base/bytes/id.ts";
import { sending } from "../anvil/precompiles/warp-actor.ts";

export const MESSENGER = compileYul(readFileSync(new URL("messenger.yul", import.meta.url), "utf8"));

/** Whether a log of a messenger is its own one, with the payload, and not an event of the reference implementation. */
export function isDelivery({ topics }: { readonly topics: readonly unknown[] }): boolean {
  return topics.length === 2;
}

const struct = parseAbiParameters([
  "TeleporterMessage message",
  "struct Receipt { uint256 receivedMessageNonce; address relayerRewardAddress; }",
  "struct TeleporterMessage { uint256 messageNonce; address originSenderAddress; bytes32 destinationBlockchainID; address destinationAddress; uint256 requiredGasLimit; address[] allowedRelayerAddresses; Receipt[] receipts; bytes message; }",
]);
const NOBODY = `0x${"00".repeat(20)}` as const;

export function teleporterMessage(destination: Id, nonce: number, content: Hex): Hex {
  return encodeAbiParameters(struct, [
    {
      messageNonce: BigInt(nonce),
      originSenderAddress: NOBODY,
      destinationBlockchainID: `0x${destination}`,
      destinationAddress: NOBODY,
      requiredGasLimit: 100_000n,
      allowedRelayerAddresses: [],
      receipts: [],
      message: content,
    },
  ]);
}

/** What to call a messenger with, so that it sends this. */
export function sendingTo(destination: Id, nonce: number, content: Hex): Hex {
  return sending(teleporterMessage(destination, nonce, content));
}
