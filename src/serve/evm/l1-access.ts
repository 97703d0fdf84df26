/** The RPC and WebSocket of L1s' chains in a devnet, by path: `/ext/bc/<blockchain ID>/rpc` and `/ws`. */

import { parseId } from "../../base/bytes/cb58.ts";
import type { Id } from "../../base/bytes/id.ts";
import { TextError } from "../../base/errors/text-error.ts";
import type { EvmNode } from "../../devnet/anvil/evm-node.ts";
import type { L1 } from "../../devnet/evm/evm-chains.ts";
import type { EvmAccess } from "./evm-endpoint.ts";

/** An L1's chain as clients reach it. */
export interface L1Access {
  /** undefined: it does not run */
  readonly evm: EvmAccess | undefined;
  /** why it does not run, as the end of a sentence */
  readonly reason: string;
}

const PATH = /^\/ext\/bc\/([1-9A-HJ-NP-Za-km-z]{1,60})\/(?:rpc|ws)$/;

export class L1Accesses {
  readonly #l1s: () => readonly L1[];
  readonly #accessTo: (evm: EvmNode, chainId: Id) => EvmAccess;
  /** one for each, while it exists */
  readonly #known = new WeakMap<L1, L1Access>();

  constructor(l1s: () => readonly L1[], accessTo: (evm: EvmNode, chainId: Id) => EvmAccess) {
    this.#l1s = l1s;
    this.#accessTo = accessTo;
  }

  /** The same object for the same chain; undefined for any other path. */
  find(path: string): L1Access | undefined {
    const chainId = chainOf(path);
    const l1 = chainId === undefined ? undefined : this.#l1s().find((one) => one.chainId === chainId);
    return l1 && this.#accessOf(l1);
  }

  #accessOf(l1: L1): L1Access {
    const known = this.#known.get(l1);
    if (known !== undefined) return known;
    const { running, chainId, chainName, problem } = l1;
    const evm = running && this.#accessTo(running.evm, chainId);
    const made = { evm, reason: `the chain ${JSON.stringify(chainName)} does not run here: ${problem}` };
    this.#known.set(l1, made);
    return made;
  }
}

function chainOf(path: string): Id | undefined {
  const text = PATH.exec(path)?.[1];
  if (text === undefined) return undefined;
  try {
    return parseId(text);
  } catch (error) {
    if (error instanceof TextError) return undefined;
    throw error;
  }
}
