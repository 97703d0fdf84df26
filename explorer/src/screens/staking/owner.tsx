/** Who owns something on the P-chain: addresses, how many of them must sign, and from when. */
import { Time } from "../../components/time.tsx";
import { Address } from "../primary/pieces.tsx";

export interface OwnerJson {
  readonly addresses: readonly string[];
  readonly threshold?: number | string;
  /** Unix seconds */
  readonly locktime?: number | string;
}

export function Owner({ of: { addresses, threshold, locktime = 0 } }: { readonly of: OwnerJson }) {
  if (addresses.length === 0) return <>nobody</>;
  return (
    <>
      {threshold !== undefined && addresses.length > 1 && <>{threshold} of </>}
      {addresses.map((address, i) => (
        <span key={address}>
          {i > 0 && ", "}
          <Address address={address} chain="P" />
        </span>
      ))}
      {BigInt(locktime) > 0n && (
        <>
          {" "}
          from <Time seconds={locktime} />
        </>
      )}
    </>
  );
}
