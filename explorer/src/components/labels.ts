/** Names of addresses that this server gives them: those of a devnet's funded accounts. One request for all of the explorer; elsewhere none. */
import { rpc } from "../api/client.ts";
import { useOverview } from "../api/overview.ts";
import { useAnswer } from "../api/queries.ts";

export interface DevnetKey {
  readonly name: string;
  readonly privateKey: string;
  readonly privateKeyHex: string;
  readonly addresses: { readonly P: string; readonly X: string; readonly C: string; readonly evm: string };
}

/** The keys of a devnet; `isWanted` says whether this is one. */
export function useDevnetKeys(isWanted: boolean) {
  return useAnswer(["firn.listKeys"], () => rpc<{ keys: readonly DevnetKey[] }>("firn", "firn.listKeys"), { isWanted });
}

let labelled: { readonly keys: readonly DevnetKey[]; readonly names: ReadonlyMap<string, string> } | undefined;

/** Accounts and bech32 addresses, these without the chain's letter: it is one key on P, X and C. */
function namesOf(keys: readonly DevnetKey[]): ReadonlyMap<string, string> {
  if (labelled?.keys !== keys) {
    const names = keys.flatMap(({ name, addresses: { P, C, evm } }) =>
      [P, C, evm].map((address): [string, string] => [plain(address), name]),
    );
    labelled = { keys, names: new Map(names) };
  }
  return labelled.names;
}

function plain(address: string): string {
  return address.replace(/^[PXC]-/, "").toLowerCase();
}

/** The name of an address, if it has one. */
export function useLabel(address: string): string | undefined {
  const isDevnet = useOverview().data?.isDevnet ?? false;
  const { data } = useDevnetKeys(isDevnet);
  return data && namesOf(data.keys).get(plain(address));
}
