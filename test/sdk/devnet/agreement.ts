/** Compares both interfaces of a running network, and its AVAX with the expected total. */
import { expect } from "vitest";
import type { LocalNetwork } from "../../../src/serve/local-network/start.ts";
import { compareMoment } from "../../api/data/agreement/agreement.ts";
import { Tally } from "../../api/data/agreement/tally.ts";
import { DataClient } from "../../api/data/oracle/client.ts";
import { avaxOf } from "../../devnet/conservation.ts";
import type { Account } from "../wallet.ts";
import { askNode } from "./answers.ts";
import type { IssuingWallet } from "./issuing-wallet.ts";

export class Agreement {
  readonly #network: LocalNetwork;
  readonly #wallet: IssuingWallet;
  readonly #addresses: readonly string[];
  readonly #validationIds = new Set<string>();
  readonly #heights = { P: 0, X: 0 };
  #comparedTxs = 0;
  /** all AVAX, wei */
  #total: bigint | undefined;

  constructor(network: LocalNetwork, wallet: IssuingWallet, everybody: readonly Account[]) {
    this.#network = network;
    this.#wallet = wallet;
    this.#addresses = everybody.map(({ text }) => text);
  }

  /** About all owners, stakers and subnets, and the transactions and blocks since the last time. */
  hold(): Promise<void> {
    return this.#hold(this.#comparedTxs);
  }

  /** About all transactions too. */
  holdAll(): Promise<void> {
    Object.assign(this.#heights, { P: 0, X: 0 });
    return this.#hold(0);
  }

  /** After a revert: what was issued until now is not asked about any more. */
  forget(): void {
    this.#comparedTxs = this.#wallet.issued.length;
    Object.assign(this.#heights, { P: 0, X: 0 });
  }

  async #hold(firstTx: number): Promise<void> {
    const { devnet, url } = this.#network;
    const answers = await askNode(url, {
      addresses: this.#addresses,
      txs: this.#wallet.issued.slice(firstTx),
      validationIds: this.#validationIds,
      assetIds: this.#wallet.issued.filter(({ type }) => type === "CreateAssetTx").map(({ txId }) => txId),
      heights: this.#heights,
    });
    const tally = new Tally();
    await compareMoment({ client: new DataClient(url), answers, tally, network: devnet.network, clock: devnet.clock.seconds() });
    expect(tally.differences).toEqual([]);
    const { total, parts } = await avaxOf(devnet);
    this.#total ??= total;
    expect(total, Object.entries(parts).join(" ")).toBe(this.#total);
    expect(tally.count).toBeGreaterThan(this.#addresses.length);
    this.#comparedTxs = this.#wallet.issued.length;
    for (const [chain, service] of [
      ["P", "platform"],
      ["X", "avm"],
    ] as const) {
      this.#heights[chain] = Number(answers.of(`${service}.getHeight`)[0]!.result.height);
    }
    for (const { result } of answers.of("platform.getCurrentValidators")) {
      for (const { validationID } of result.validators) if (validationID !== undefined) this.#validationIds.add(validationID);
    }
  }
}
