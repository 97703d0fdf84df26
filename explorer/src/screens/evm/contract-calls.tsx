/** Calls functions that read a contract, through the devnet's own EVM: one request for each call, when the user asks for it. */
import { useState } from "preact/hooks";
import { rpc } from "../../api/client.ts";
import { Failure } from "../../components/states.tsx";
import { type AbiItem, signatureOf } from "./abi/abi-item.ts";
import type { KnownAbi } from "./abi/abi-store.ts";
import { DecodingError, decodeValues, type Field } from "./abi/decode-values.ts";
import { encodeCall, WrongArgument } from "./abi/encode.ts";
import { Fields, RawBytes } from "./decoded.tsx";

interface ContractCallsProps {
  readonly chainId: string;
  /** of the EVM, below `ext/` */
  readonly path: string;
  readonly address: string;
  readonly known: KnownAbi;
}

const READS = new Set(["pure", "view"]);
const MOST_SHOWN = 200;

export function ContractCalls({ known: { abi }, ...contract }: ContractCallsProps) {
  const readers = abi.filter(({ type, stateMutability }) => type === "function" && READS.has(stateMutability!));
  if (readers.length === 0) return null;
  return (
    <section class="card">
      <h2>Read the contract</h2>
      <p class="quiet">Each call is run by this devnet's EVM after the newest block. It changes nothing.</p>
      {readers.slice(0, MOST_SHOWN).map((item) => (
        <details key={signatureOf(item)}>
          <summary>
            <code>{signatureOf(item)}</code>
          </summary>
          <Call item={item} {...contract} />
        </details>
      ))}
    </section>
  );
}

/** What a call returned; `fields` is absent if it is not what the ABI says. */
interface Returned {
  readonly hex: string;
  readonly fields: readonly Field[] | undefined;
}

function Call({ item, chainId, path, address }: { readonly item: AbiItem } & Omit<ContractCallsProps, "known">) {
  const [texts, setTexts] = useState<readonly string[]>(item.inputs.map(() => ""));
  const [returned, setReturned] = useState<Returned>();
  const [error, setError] = useState<unknown>();
  const ask = async (event: Event) => {
    event.preventDefault();
    setError(undefined);
    setReturned(undefined);
    try {
      const hex = await rpc<string>(path, "eth_call", [{ to: address, data: encodeCall(item, texts) }, "latest"]);
      setReturned({ hex, fields: fieldsOf(item, hex) });
    } catch (reason) {
      setError(reason);
    }
  };
  return (
    <form class="call" onSubmit={ask}>
      {item.inputs.map(({ name, type }, i) => (
        <label key={i}>
          <span>
            {name} <span class="quiet">{type}</span>
          </span>
          <input
            value={texts[i]}
            spellcheck={false}
            autocomplete="off"
            placeholder={/\]$|^tuple/.test(type) ? "as JSON" : ""}
            onInput={({ currentTarget }) => setTexts(texts.with(i, currentTarget.value))}
          />
        </label>
      ))}
      <button type="submit">Call</button>
      <div role="status">
        {error instanceof WrongArgument ? <p class="bad">{error.message}</p> : error !== undefined && <Failure error={error} />}
        {returned?.fields && <Fields chainId={chainId} of={returned.fields} />}
        {returned && returned.fields === undefined && (
          <>
            <p>The contract did not return what the ABI says. It returned:</p>
            <RawBytes hex={returned.hex} name="result" />
          </>
        )}
      </div>
    </form>
  );
}

function fieldsOf({ outputs = [] }: AbiItem, hex: string): readonly Field[] | undefined {
  try {
    return decodeValues(outputs, hex.slice(2));
  } catch (error) {
    if (error instanceof DecodingError) return undefined;
    throw error;
  }
}
