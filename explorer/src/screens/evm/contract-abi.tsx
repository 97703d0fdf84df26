/** The ABI of a contract: the user gives it as a file, the browser keeps it. It names functions, events and errors, and reads the contract on a devnet. */
import { useRef, useState } from "preact/hooks";
import { useOverview } from "../../api/overview.ts";
import { count } from "../../components/amount.tsx";
import { Id } from "../../components/id.tsx";
import type { Column } from "../../components/table.tsx";
import { AbiFileError, MOST_FILE_BYTES, readAbi } from "./abi/abi-file.ts";
import { type AbiItem, selectorOf, signatureOf, topicOf } from "./abi/abi-item.ts";
import { keepAbi, removeAbi, useAbi } from "./abi/abi-store.ts";
import { ContractCalls } from "./contract-calls.tsx";
import { ContractWrites } from "./contract-writes.tsx";
import type { EvmChain } from "./evm-chain.tsx";
import { FirstOf } from "./first-of.tsx";
import { rpcPath } from "./rpc-path.ts";

export function ContractAbi({ chain, address }: { readonly chain: EvmChain; readonly address: string }) {
  const { chainId } = chain;
  const known = useAbi(chainId, address);
  const path = rpcPath(chain, useOverview().data);
  const items = (type: AbiItem["type"]) => known?.abi.filter((item) => item.type === type) ?? [];
  return (
    <>
      <section class="card">
        <h2>ABI</h2>
        <AbiFile chainId={chainId} address={address} isKnown={known !== undefined} />
      </section>
      {known && path !== undefined && <ContractCalls key={address} chainId={chainId} path={path} address={address} known={known} />}
      {known && <ContractWrites key={`${address} writes`} chain={chain} path={path} address={address} known={known} />}
      {known && <Items title="Functions" items={items("function")} name="Selector" hashOf={selectorOf} />}
      {known && <Items title="Events" items={items("event")} name="Topic" hashOf={topicOf} />}
      {known && <Items title="Errors" items={items("error")} name="Selector" hashOf={selectorOf} />}
    </>
  );
}

function AbiFile({ chainId, address, isKnown }: { readonly chainId: string; readonly address: string; readonly isKnown: boolean }) {
  const picker = useRef<HTMLInputElement>(null);
  const [outcome, setOutcome] = useState<{ readonly text: string; readonly isBad: boolean }>();
  const [isOver, setOver] = useState(false);
  const take = async (file: File | undefined) => {
    if (file !== undefined) setOutcome(await kept(chainId, address, file));
  };
  return (
    <fieldset
      aria-label="ABI of the contract"
      class={isOver ? "drop over" : "drop"}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        void take(event.dataTransfer?.files[0]);
      }}
    >
      <p>
        {isKnown
          ? "You gave an ABI for this contract. It names calls, logs and errors wherever the explorer shows them."
          : "Drop the contract's ABI here: a JSON file with the ABI, or an artifact of Foundry or Hardhat. It names calls, logs and errors wherever the explorer shows them."}{" "}
        <span class="quiet">It stays in this browser, and nothing checks it against the contract's code.</span>
      </p>
      <p class="actions">
        <input
          ref={picker}
          type="file"
          hidden
          aria-label="File with the ABI"
          accept=".json,.abi,application/json"
          onChange={({ currentTarget }) => {
            void take(currentTarget.files?.[0]);
            // the same file can be chosen again after it was changed
            currentTarget.value = "";
          }}
        />
        <button type="button" onClick={() => picker.current?.click()}>
          {isKnown ? "Choose another file" : "Choose a file"}
        </button>
        {isKnown && (
          <button
            type="button"
            onClick={() => {
              removeAbi(chainId, address);
              setOutcome({ text: "The ABI was removed.", isBad: false });
            }}
          >
            Remove the ABI
          </button>
        )}
      </p>
      <p role="status" class={outcome?.isBad ? "bad" : "good"}>
        {outcome?.text}
      </p>
    </fieldset>
  );
}

/** Keeps the ABI in a file, and says how that went. */
async function kept(chainId: string, address: string, file: File): Promise<{ text: string; isBad: boolean }> {
  try {
    if (file.size > MOST_FILE_BYTES) throw new AbiFileError(`The file is too long: at most ${MOST_FILE_BYTES / 2 ** 20} MiB are read.`);
    const abi = readAbi(await file.text());
    keepAbi(chainId, address, abi);
    return { text: `The ABI was read: it has ${count(abi.length)} items.`, isBad: false };
  } catch (error) {
    if (error instanceof AbiFileError) return { text: error.message, isBad: true };
    return { text: "The file could not be read. Choose a file, not a folder.", isBad: true };
  }
}

interface ItemsProps {
  readonly title: string;
  readonly items: readonly AbiItem[];
  readonly name: string;
  hashOf(item: AbiItem): string;
}

function Items({ title, items, name, hashOf }: ItemsProps) {
  if (items.length === 0) return null;
  const columns: Column<AbiItem>[] = [
    { name: title.slice(0, -1), cell: (item) => <code class="bytes">{signatureOf(item)}</code> },
    ...(title === "Functions" ? [{ name: "Changes state", cell: ({ stateMutability }: AbiItem) => MUTABILITY[stateMutability!] }] : []),
    { name, cell: (item) => <Id value={hashOf(item)} hasCopy /> },
  ];
  return (
    <section class="card">
      <h2>{title}</h2>
      <FirstOf label={title} columns={columns} items={items} keyOf={(item) => `${items.indexOf(item)}`} />
    </section>
  );
}

const MUTABILITY: Readonly<Record<string, string>> = { pure: "no", view: "no", nonpayable: "yes", payable: "yes, takes coins" };
