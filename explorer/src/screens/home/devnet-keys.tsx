/** The accounts that the genesis of a devnet funds. Their keys are public. */
import { useState } from "preact/hooks";
import { Copy, shortened } from "../../components/id.tsx";
import { type DevnetKey, useDevnetKeys } from "../../components/labels.ts";
import { Answer } from "../../components/states.tsx";
import { type Column, Table } from "../../components/table.tsx";
import { to } from "../../router.ts";

/** Short enough for half a page; whole when it is copied or pointed at. */
function Short({ of }: { readonly of: string }) {
  return (
    <span class="id">
      <code title={of}>{shortened(of, of.startsWith("0x") ? 6 : 9, 4)}</code>
      <Copy text={of} />
    </span>
  );
}

const COLUMNS: readonly Column<DevnetKey>[] = [
  {
    name: "Name",
    cell: ({ name, addresses: { evm } }) => (
      <a class="id" href={to.address(evm)}>
        {name}
      </a>
    ),
  },
  { name: "C-chain", cell: ({ addresses: { evm } }) => <Short of={evm} /> },
  { name: "P and X", cell: ({ addresses: { P } }) => <Short of={P} /> },
  {
    name: "Private key",
    cell: ({ name, privateKey, privateKeyHex }) => (
      <span class="id">
        hex <Copy text={privateKeyHex} name={`the private key of ${name} as hex`} /> cb58{" "}
        <Copy text={privateKey} name={`the private key of ${name} in cb58`} />
      </span>
    ),
  },
];

/** as many stand there at once */
const SHOWN = 3;

export function DevnetKeys() {
  const keys = useDevnetKeys(true);
  const [isOpen, setOpen] = useState(false);
  return (
    <section class={isOpen ? "card keys" : "card keys folded"}>
      <h2>Funded keys</h2>
      <p class="quiet">
        For tests only. <a href={to.devnet()}>Fund another address</a>
      </p>
      <Answer of={keys}>
        {({ keys: all }) => (
          <>
            <Table
              label="Funded keys"
              columns={COLUMNS}
              items={isOpen ? all : all.slice(0, SHOWN)}
              keyOf={({ privateKey }) => privateKey}
            />
            {all.length > SHOWN && !isOpen && (
              <p class="more">
                <button type="button" onClick={() => setOpen(true)}>
                  Show all {all.length}
                </button>
              </p>
            )}
          </>
        )}
      </Answer>
    </section>
  );
}
