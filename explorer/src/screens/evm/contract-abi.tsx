/**
 * The source and the ABI of a contract: the server has them from a build file, or the user gives a file. The ABI names functions, events and errors,
 * reads the contract on a devnet and writes to it. One request.
 */
import { useRef, useState } from "preact/hooks";
import { ApiError } from "../../api/errors.ts";
import { useOverview } from "../../api/overview.ts";
import { count } from "../../components/amount.tsx";
import { Id } from "../../components/id.tsx";
import type { Column } from "../../components/table.tsx";
import { AbiFileError, readAbi } from "./abi/abi-file.ts";
import { type AbiItem, selectorOf, signatureOf, topicOf } from "./abi/abi-item.ts";
import { type KnownAbi, keepAbi, removeAbi, useAbi } from "./abi/abi-store.ts";
import { MOST_BUILD_BYTES, readDropped } from "./build-file.ts";
import { ContractCalls } from "./contract-calls.tsx";
import { ContractSource } from "./contract-source.tsx";
import { ContractWrites } from "./contract-writes.tsx";
import type { EvmChain } from "./evm-chain.tsx";
import { FirstOf } from "./first-of.tsx";
import { rpcPath } from "./rpc-path.ts";
import { knownSource, type Source, sendBuild, useSource } from "./source.ts";

export function ContractAbi({ chain, address }: { readonly chain: EvmChain; readonly address: string }) {
  const { chainId } = chain;
  const known = useAbi(chainId, address);
  const path = rpcPath(chain, useOverview().data);
  const source = useSource(chainId, address);
  const items = (type: AbiItem["type"]) => known?.abi.filter((item) => item.type === type) ?? [];
  return (
    <>
      <section class="card">
        <h2>ABI</h2>
        <AbiFile chainId={chainId} address={address} known={known} source={source.data} />
      </section>
      {source.data !== undefined && source.data.code !== "0x" && <ContractSource of={source.data} />}
      {known && path !== undefined && <ContractCalls key={address} chainId={chainId} path={path} address={address} known={known} />}
      {known && <ContractWrites key={`${address} writes`} chain={chain} path={path} address={address} known={known} />}
      {known && <Items title="Functions" items={items("function")} name="Selector" hashOf={selectorOf} />}
      {known && <Items title="Events" items={items("event")} name="Topic" hashOf={topicOf} />}
      {known && <Items title="Errors" items={items("error")} name="Selector" hashOf={selectorOf} />}
    </>
  );
}

interface AbiFileProps {
  readonly chainId: string;
  readonly address: string;
  readonly known: KnownAbi | undefined;
  /** undefined: not read yet, or the chain's node does not answer */
  readonly source: Source | undefined;
}

function AbiFile({ chainId, address, known, source }: AbiFileProps) {
  const isGiven = known?.isGiven ?? false;

  const picker = useRef<HTMLInputElement>(null);
  const [outcome, setOutcome] = useState<Outcome>();
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
        {isGiven
          ? "You gave an ABI for this contract. It names calls, logs and errors wherever the explorer shows them."
          : known !== undefined
            ? "The server has the contract's build file. Its ABI names calls, logs and errors wherever the explorer shows them."
            : source?.acceptsBuilds
              ? "Drop the contract's build file here: a build-info file or an artifact of Hardhat or Foundry. The server keeps it if it has the contract's code. An ABI alone stays in this browser."
              : "Drop the contract's ABI here: a JSON file with the ABI, or an artifact of Foundry or Hardhat. It names calls, logs and errors wherever the explorer shows them."}{" "}
        {(isGiven || !source?.acceptsBuilds) && known?.isGiven !== false && (
          <span class="quiet">It stays in this browser, and nothing checks it against the contract's code.</span>
        )}
      </p>
      <p class="actions">
        <input
          ref={picker}
          type="file"
          hidden
          aria-label="File with the ABI or the build"
          accept=".json,.abi,application/json"
          onChange={({ currentTarget }) => {
            void take(currentTarget.files?.[0]);
            // the same file can be chosen again after it was changed
            currentTarget.value = "";
          }}
        />
        <button type="button" onClick={() => picker.current?.click()}>
          {known ? "Choose another file" : "Choose a file"}
        </button>
        {isGiven && (
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

interface Outcome {
  readonly text: string;
  readonly isBad: boolean;
}

/** Has the server keep a build if it does so, else keeps the ABI here; says how that went. */
async function kept(chainId: string, address: string, file: File): Promise<Outcome> {
  try {
    // a file can be dropped before the page has read it
    const source = await knownSource(chainId, address);
    if (file.size > MOST_BUILD_BYTES) throw new AbiFileError(`The file is too long: at most ${MOST_BUILD_BYTES / 2 ** 20} MiB are read.`);
    const { abi, build } = readDropped(await file.text(), source?.code ?? "0x");
    const refusal = build !== undefined && source?.acceptsBuilds ? await refusalOf(chainId, address, build) : undefined;
    if (refusal === KEPT) {
      removeAbi(chainId, address);
      return { text: "The server keeps the build: it has the contract's code.", isBad: false };
    }
    const read = readAbi(abi ?? "{}");
    keepAbi(chainId, address, read);
    const text = `The ABI was read: it has ${count(read.length)} items.`;
    return refusal === undefined ? { text, isBad: false } : { text: `${text} The server did not keep the build: ${refusal}`, isBad: true };
  } catch (error) {
    if (error instanceof AbiFileError) return { text: error.message, isBad: true };
    return { text: "The file could not be read. Choose a file, not a folder.", isBad: true };
  }
}

const KEPT = Symbol("kept");

async function refusalOf(chainId: string, address: string, build: string): Promise<string | typeof KEPT> {
  try {
    await sendBuild(chainId, address, build);
    return KEPT;
  } catch (error) {
    if (error instanceof ApiError) return error.message;
    throw error;
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
