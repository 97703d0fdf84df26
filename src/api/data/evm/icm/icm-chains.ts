/** The chains of a server that have a blockchain ID, without which no message comes or goes. */
import Type from "typebox";
import type { Id } from "../../../../base/bytes/id.ts";
import type { EvmChainsContext } from "../../context.ts";
import { parseIdParam } from "../../ids.ts";
import type { EvmChain } from "../evm-chain.ts";
import { isOfNetwork } from "../latest-of-all.ts";

const chainText = (description: string) =>
  Type.Optional(
    Type.String({ minLength: 1, description: `${description}: its blockchain ID (cb58), or its EVM chain ID if this server indexes it.` }),
  );

export const icmChainQuery = {
  sourceBlockchainId: chainText("Only messages from this chain"),
  destinationBlockchainId: chainText("Only messages to this chain"),
  blockchainId: chainText("Only messages from or to this chain"),
};

export interface IcmChain {
  readonly blockchainId: Id;
  readonly evmChain: EvmChain;
}

export class IcmChains {
  readonly all: readonly IcmChain[];
  readonly #byId: ReadonlyMap<Id, EvmChain>;

  /** @param network by default all */
  constructor(context: Pick<EvmChainsContext, "evmChains" | "isAvailable">, network?: "mainnet" | "fuji" | "testnet") {
    this.all = context.evmChains
      .filter((chain) => isOfNetwork(chain, network) && context.isAvailable(chain))
      .flatMap((evmChain) => {
        const { blockchainId } = evmChain.settings;
        return blockchainId === undefined ? [] : [{ blockchainId, evmChain }];
      });
    this.#byId = new Map(this.all.map(({ blockchainId, evmChain }) => [blockchainId, evmChain]));
  }

  /** undefined: the chain is not indexed here */
  of(blockchainId: Id): EvmChain | undefined {
    return this.#byId.get(blockchainId);
  }

  /** Those with this blockchain ID: one, or none. @param blockchainId undefined: all */
  only(blockchainId: Id | undefined): readonly IcmChain[] {
    return blockchainId === undefined ? this.all : this.all.filter((each) => each.blockchainId === blockchainId);
  }

  /**
   * Reads a parameter of `icmChainQuery`. `none`: an EVM chain that is not indexed here, which has no messages that are known. Throws 400.
   * @returns undefined if it is absent
   */
  parse(name: string, text: string | undefined): Id | "none" | undefined {
    if (text === undefined) return undefined;
    if (!/^\d{1,20}$/.test(text)) return parseIdParam(name, text);
    return this.all.find(({ evmChain }) => evmChain.evmChainId === BigInt(text))?.blockchainId ?? "none";
  }
}
