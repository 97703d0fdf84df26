/**
 * Reads a contract through the devnet's own EVM. What needs no arguments is read at once, one request for each value and again when the chain grew;
 * the rest when the user asks for it.
 */
import { rpc } from "../../api/client.ts";
import { useAnswer } from "../../api/queries.ts";
import { Answer } from "../../components/states.tsx";
import { type AbiItem, selectorOf, signatureOf } from "./abi/abi-item.ts";
import type { KnownAbi } from "./abi/abi-store.ts";
import { DecodingError, decodeValues, type Field } from "./abi/decode-values.ts";
import { encodeCall } from "./abi/encode.ts";
import { CallForm } from "./call-form.tsx";
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
const MOST_AT_ONCE = 30;

export function isRead({ type, stateMutability }: AbiItem): boolean {
  return type === "function" && READS.has(stateMutability!);
}

export function ContractCalls({ known: { abi }, ...contract }: ContractCallsProps) {
  const readers = abi.filter(isRead).slice(0, MOST_SHOWN);
  const values = readers.filter(({ inputs }) => inputs.length === 0).slice(0, MOST_AT_ONCE);
  if (readers.length === 0) return null;
  return (
    <section class="card">
      <h2>Read the contract</h2>
      <p class="quiet">Each call is run by this devnet's EVM after the newest block. It changes nothing.</p>
      {values.map((item) => (
        <Value key={signatureOf(item)} item={item} {...contract} />
      ))}
      {readers
        .filter((item) => !values.includes(item))
        .map((item) => (
          <Reader key={signatureOf(item)} item={item} {...contract} />
        ))}
    </section>
  );
}

type OneCallProps = { readonly item: AbiItem } & Omit<ContractCallsProps, "known">;

function Value({ item, chainId, path, address }: OneCallProps) {
  const value = useAnswer(
    ["read", chainId, address, signatureOf(item)],
    () => rpc<string>(path, "eth_call", [{ to: address, data: selectorOf(item) }, "latest"]),
    { follows: chainId, isRetried: false },
  );
  return (
    <div class="function call">
      <code>{signatureOf(item)}</code>
      <Answer of={value}>{(hex) => <Returned chainId={chainId} item={item} hex={hex} />}</Answer>
    </div>
  );
}

function Reader({ item, chainId, path, address }: OneCallProps) {
  const read = async (texts: readonly string[]) => {
    const hex = await rpc<string>(path, "eth_call", [{ to: address, data: encodeCall(item, texts) }, "latest"]);
    return <Returned chainId={chainId} item={item} hex={hex} />;
  };
  return (
    <div class="function">
      <code>{signatureOf(item)}</code>
      <CallForm item={item} button="Call" run={read} />
    </div>
  );
}

function Returned({ chainId, item, hex }: { readonly chainId: string; readonly item: AbiItem; readonly hex: string }) {
  const fields = fieldsOf(item, hex);
  if (fields !== undefined) return <Fields chainId={chainId} of={fields} />;
  return (
    <>
      <p>The contract did not return what the ABI says. It returned:</p>
      <RawBytes hex={hex} name="result" />
    </>
  );
}

/** undefined if it is not what the ABI says */
function fieldsOf({ outputs = [] }: AbiItem, hex: string): readonly Field[] | undefined {
  try {
    return decodeValues(outputs, hex.slice(2));
  } catch (error) {
    if (error instanceof DecodingError) return undefined;
    throw error;
  }
}
