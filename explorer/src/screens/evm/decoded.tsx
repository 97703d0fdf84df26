/** Decoded calls, logs and errors: names, types and values. Everything in them was written by anybody. */

import { useState } from "preact/hooks";
import { count } from "../../components/amount.tsx";
import { ChainText } from "../../components/chain-text.tsx";
import { Copy, Id } from "../../components/id.tsx";
import { Scrolled } from "../../components/scrolled.tsx";
import { to } from "../../router.ts";
import { checksummed } from "./abi/abi-item.ts";
import { type Decoded, wordsOf } from "./abi/decode.ts";
import { type Field, utf8, type Value } from "./abi/decode-values.ts";

export function DecodedItem({ chainId, of: { signature, fields, isOwn } }: { readonly chainId: string; readonly of: Decoded }) {
  return (
    <>
      <p>
        <code class="bytes">{signature}</code>{" "}
        <span class="quiet">{isOwn ? "decoded by the contract's ABI" : "decoded by a signature that many contracts share"}</span>
      </p>
      {fields.length > 0 && <Fields chainId={chainId} of={fields} />}
    </>
  );
}

export function Fields({ chainId, of }: { readonly chainId: string; readonly of: readonly Field[] }) {
  return (
    <ul class="fields">
      {of.map(({ name, type, value }, i) => (
        <li key={i}>
          <span class="quiet">{type}</span> <strong>{name}</strong> <Shown chainId={chainId} of={value} />
        </li>
      ))}
    </ul>
  );
}

const LONGEST_TEXT = 2000;
const MOST_DIGITS_SHOWN = 256;

function Shown({ chainId, of }: { readonly chainId: string; readonly of: Value }) {
  switch (of.kind) {
    case "number":
      return <span class="amount">{count(of.number)}</span>;
    case "bool":
      return <>{of.isTrue ? "true" : "false"}</>;
    case "address":
      return <Id value={checksummed(of.address)} href={to.evmAddress(chainId, checksummed(of.address))} hasCopy />;
    case "hash":
      return (
        <>
          <Id value={of.hash} hasCopy /> <span class="quiet">(hash of the value, which is not in the log)</span>
        </>
      );
    case "text":
      return of.length === 0 ? <span class="quiet">empty</span> : <ChainText text={of.text} longest={LONGEST_TEXT} />;
    case "bytes":
      return <Bytes hex={of.hex} length={of.length} />;
    case "tuple":
      return <Fields chainId={chainId} of={of.fields} />;
    case "list":
      return <Items chainId={chainId} of={of} />;
  }
}

/** Bytes in hex, cut if they are many. */
export function Bytes({ hex, length }: { readonly hex: string; readonly length: number }) {
  if (length === 0) return <span class="quiet">empty</span>;
  const isCut = hex.length > MOST_DIGITS_SHOWN || hex.length < 2 + 2 * length;
  return (
    <>
      <code class="bytes">{hex.slice(0, MOST_DIGITS_SHOWN)}</code>
      {isCut && <span class="quiet">… ({count(length)} bytes)</span>}
      {hex.length === 2 + 2 * length && <Copy text={hex} name={`${count(length)} bytes`} />}
    </>
  );
}

function Items({ chainId, of: { items, length } }: { readonly chainId: string; readonly of: Extract<Value, { kind: "list" }> }) {
  if (length === 0) return <span class="quiet">empty list</span>;
  return (
    <ol class="fields" start={0}>
      {items.map((item, i) => (
        <li key={i}>
          <Shown chainId={chainId} of={item} />
        </li>
      ))}
      {length > items.length && <li class="quiet">… and {count(length - items.length)} more</li>}
    </ol>
  );
}

const MOST_WORDS = 64;
const MOST_BYTES = 4096;
const SELECTOR_DIGITS = 8;
const VIEWS = ["words", "hex", "UTF-8"] as const;

/**
 * Bytes as words, hex or text, each bounded; all of them can be copied.
 * @param hasSelector whether they begin with the four bytes that name a function or an error
 */
export function RawBytes({ hex: prefixed, name, hasSelector = false }: { hex: string; name: string; hasSelector?: boolean }) {
  const [view, setView] = useState<(typeof VIEWS)[number]>("words");
  const hex = prefixed.slice(2);
  const length = hex.length / 2;
  if (length === 0) return <p class="quiet">empty</p>;
  const isCut = view === "words" ? hex.length > MOST_WORDS * 64 : length > MOST_BYTES;
  return (
    <>
      <p class="row">
        <label>
          {name} as
          <select value={view} onChange={({ currentTarget }) => setView(currentTarget.value as typeof view)}>
            {VIEWS.map((known) => (
              <option key={known} value={known}>
                {known}
              </option>
            ))}
          </select>
        </label>
        <span>
          {count(length)} {length === 1 ? "byte" : "bytes"}
          <Copy text={prefixed} name={`all of ${name}`} />
        </span>
      </p>
      {view === "words" && <Words hex={hex} hasSelector={hasSelector} />}
      {view === "hex" && <Scrolled text={`0x${hex.slice(0, 2 * MOST_BYTES)}`} />}
      {view === "UTF-8" && <Scrolled text={utf8(hex.slice(0, 2 * MOST_BYTES))} />}
      {isCut && <p class="quiet">Only the beginning is shown; copy it to have all.</p>}
    </>
  );
}

function Words({ hex, hasSelector }: { readonly hex: string; readonly hasSelector: boolean }) {
  const selector = hasSelector ? hex.slice(0, SELECTOR_DIGITS) : "";
  const { words } = wordsOf(hex.slice(selector.length), MOST_WORDS);
  const lines = [...(selector === "" ? [] : [selector]), ...words.map((word, i) => `[${i}] ${word}`)];
  return <Scrolled text={lines.join("\n")} />;
}
