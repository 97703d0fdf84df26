/** Which other addresses the key has. They follow from the key alone; only a devnet tells its keys. */
import { rpc } from "../../api/client.ts";
import type { Overview } from "../../api/overview.ts";
import { useAnswer } from "../../api/queries.ts";
import { Id } from "../../components/id.tsx";
import { to } from "../../router.ts";

interface DevnetKey {
  readonly name: string;
  readonly addresses: { readonly P: string; readonly evm: string };
}

export function SameKey({ address, overview: { isDevnet } }: { readonly address: string; readonly overview: Overview }) {
  const isEvm = address.startsWith("0x");
  const keys = useAnswer(["firn.listKeys"], () => rpc<{ keys: readonly DevnetKey[] }>("firn", "firn.listKeys"), { isWanted: isDevnet });
  const key = keys.data?.keys.find(({ addresses: { P, evm } }) => (isEvm ? evm : P.slice(2)) === address);
  if (key !== undefined) {
    const other = isEvm ? key.addresses.P : key.addresses.evm;
    return (
      <p>
        This is the key <strong>{key.name}</strong> of the devnet. The same key has{" "}
        <Id value={other} href={to.address(other.replace(/^P-/, ""))} hasCopy />
        {isEvm ? " on the P- and X-chain." : " on EVM chains."}
      </p>
    );
  }
  return (
    <p class="quiet">
      {isEvm
        ? "What this account has on EVM chains, and its imports and exports of the C-chain. Its key has another address on P and X, which does not follow from this one."
        : "What this address has on P and X, and what is on the way to and from the C-chain. Its key has a 0x address on EVM chains, which does not follow from this one."}
    </p>
  );
}
