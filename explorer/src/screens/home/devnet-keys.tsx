/** The accounts that the genesis of a devnet funds. Their keys are public. */
import { rpc } from "../../api/client.ts";
import { useAnswer } from "../../api/queries.ts";
import { Copy, Id } from "../../components/id.tsx";
import { Answer } from "../../components/states.tsx";
import { type Column, Table } from "../../components/table.tsx";
import { to } from "../../router.ts";

interface Key {
  readonly name: string;
  readonly privateKey: string;
  readonly privateKeyHex: string;
  readonly addresses: { readonly P: string; readonly X: string; readonly C: string; readonly evm: string };
}

const COLUMNS: readonly Column<Key>[] = [
  { name: "Name", cell: ({ name }) => name },
  { name: "P- and X-chain", cell: ({ addresses: { P } }) => <Id value={P} href={to.address(P)} hasCopy /> },
  { name: "C-chain", cell: ({ addresses: { evm } }) => <Id value={evm} href={to.address(evm)} hasCopy /> },
  {
    name: "Private key",
    cell: ({ name, privateKey, privateKeyHex }) => (
      <>
        hex <Copy text={privateKeyHex} name={`the private key of ${name} as hex`} /> cb58{" "}
        <Copy text={privateKey} name={`the private key of ${name} in cb58`} />
      </>
    ),
  },
];

export function DevnetKeys() {
  const keys = useAnswer(["firn.listKeys"], () => rpc<{ keys: readonly Key[] }>("firn", "firn.listKeys"));
  return (
    <section class="card">
      <h2>Funded keys</h2>
      <p class="quiet">These keys are public: use them for tests only.</p>
      <Answer of={keys}>
        {(answer) => <Table label="Funded keys" columns={COLUMNS} items={answer.keys} keyOf={({ privateKey }) => privateKey} />}
      </Answer>
    </section>
  );
}
