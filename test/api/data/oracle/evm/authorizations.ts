/** The accounts of a transaction's authorizations (EIP-7702), if they are valid for this chain and signed. */
import type { Hex } from "viem";
import { recoverAuthorizationAddress } from "viem/utils";
import type { RawTransaction } from "./chain-answers.ts";

export interface Authorized {
  readonly account: string;
  readonly nonce: bigint;
}

const HALF_ORDER = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;

export async function authorizedBy({ chainId, authorizationList = [] }: RawTransaction): Promise<Authorized[]> {
  const found: Authorized[] = [];
  for (const { chainId: of, address, nonce, yParity, r, s } of authorizationList) {
    const isOfChain = BigInt(of) === 0n || BigInt(of) === BigInt(chainId!);
    if (!isOfChain || BigInt(s) > HALF_ORDER || BigInt(yParity) > 1n) continue;
    const word = (value: string) => `0x${BigInt(value).toString(16).padStart(64, "0")}` as Hex;
    const signature = { r: word(r), s: word(s), yParity: Number(yParity) };
    const authorization = { address: address as Hex, chainId: Number(of), nonce: Number(nonce), ...signature };
    const account = await recoverAuthorizationAddress({ authorization }).catch(() => undefined);
    if (account !== undefined) found.push({ account: account.toLowerCase(), nonce: BigInt(nonce) });
  }
  return found;
}
