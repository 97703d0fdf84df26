/** The tree of a transaction's calls, in the order in which they were made. */
import { useMemo, useState } from "preact/hooks";
import { count } from "../../components/amount.tsx";
import { ChainText } from "../../components/chain-text.tsx";
import { Fact, Facts } from "../../components/facts.tsx";
import { Id } from "../../components/id.tsx";
import { Answer } from "../../components/states.tsx";
import { useAbi } from "./abi/abi-store.ts";
import { decodeCall } from "./abi/decode.ts";
import { type Call, useCalls } from "./calls.ts";
import { DecodedItem, RawBytes } from "./decoded.tsx";
import type { EvmChain } from "./evm-chain.tsx";
import { ErrorOf } from "./failure-reason.tsx";
import { Coins, IfAvailable, Party } from "./parts.tsx";

const STEP = 100;

export function TransactionCalls({ chain, txHash }: { readonly chain: EvmChain; readonly txHash: string }) {
  const calls = useCalls(chain.chainId, txHash);
  return (
    <section class="card">
      <h2>Calls</h2>
      <IfAvailable of={calls}>
        <Answer of={calls}>
          {(answer) => (
            <>
              <Calls chain={chain} of={answer.calls} />
              {!answer.isComplete && (
                <p class="quiet">The transaction made more calls; these are the first {count(answer.calls.length)}.</p>
              )}
            </>
          )}
        </Answer>
      </IfAvailable>
    </section>
  );
}

function Calls({ chain, of }: { readonly chain: EvmChain; readonly of: readonly Call[] }) {
  const [shown, setShown] = useState(STEP);
  return (
    <>
      <ol class="calls">
        {of.slice(0, shown).map((call, i) => (
          <li key={`${i}`} style={{ "--depth": `${call.depth}` }}>
            <CallEntry chain={chain} of={call} />
          </li>
        ))}
      </ol>
      {of.length > shown && (
        <p class="more">
          <button type="button" onClick={() => setShown(shown + STEP)}>
            Show more
          </button>{" "}
          <span class="quiet">
            {count(shown)} of {count(of.length)}
          </span>
        </p>
      )}
    </>
  );
}

const SELECTOR_LENGTH = 10;

function CallEntry({ chain, of }: { readonly chain: EvmChain; readonly of: Call }) {
  const { chainId } = chain;
  const { type, to, input, value, error, methodName } = of;
  const known = useAbi(chainId, to?.address ?? "");
  const isCreation = type.startsWith("CREATE");
  const decoded = useMemo(() => (isCreation ? undefined : decodeCall(input, known?.index)), [isCreation, input, known]);
  const named =
    decoded?.name ?? methodName?.split("(", 1)[0] ?? (input.length >= SELECTOR_LENGTH ? input.slice(0, SELECTOR_LENGTH) : undefined);
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <span class="sr-only">depth {of.depth}</span> <span class="badge">{type}</span> {to && <Callee of={to} />}{" "}
        {!isCreation && named !== undefined && (
          <strong>
            <ChainText text={named} longest={60} />
          </strong>
        )}{" "}
        {value !== "0" && <Coins value={value} chain={chain} />} {error !== undefined && <span class="badge bad">failed</span>}
      </summary>
      {isOpen && (
        <>
          <Facts>
            {error !== undefined && (
              <Fact name="Error">
                <ErrorOf chainId={chainId} of={of} />
              </Fact>
            )}
            <Fact name="From">
              <Party chainId={chainId} of={of.from} />
            </Fact>
            <Fact name="To">{to && <Party chainId={chainId} of={to} />}</Fact>
            <Fact name="Value">
              <Coins value={value} chain={chain} />
            </Fact>
            <Fact name="Gas">
              {count(of.gasUsed)} of {count(of.gas)}
            </Fact>
          </Facts>
          {decoded && <DecodedItem chainId={chainId} of={decoded} />}
          <Beginning name="input" hex={input} length={of.inputLength} hasSelector={!isCreation} />
          <Beginning
            name={isCreation && error === undefined ? "code" : "output"}
            hex={of.output}
            length={of.outputLength}
            hasSelector={error !== undefined}
          />
        </>
      )}
    </details>
  );
}

/** A line that opens has no links in it. */
function Callee({ of: { address, name } }: { readonly of: NonNullable<Call["to"]> }) {
  return (
    <>
      <Id value={address} />
      {name && (
        <span class="quiet">
          {" "}
          <ChainText text={name} longest={40} />
        </span>
      )}
    </>
  );
}

interface BeginningProps {
  readonly name: string;
  readonly hex: string;
  /** bytes of the whole */
  readonly length: number;
  readonly hasSelector?: boolean;
}

/** The API shows the beginnings of inputs and outputs. */
function Beginning({ name, hex, length, hasSelector = false }: BeginningProps) {
  const shown = (hex.length - 2) / 2;
  if (length === 0) return null;
  return (
    <>
      <RawBytes hex={hex} name={name} hasSelector={hasSelector} />
      {shown < length && (
        <p class="quiet">
          The first {count(shown)} of {count(length)} bytes.
        </p>
      )}
    </>
  );
}
