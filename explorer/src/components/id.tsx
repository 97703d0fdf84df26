/** Hashes, IDs and addresses: shortened in the middle, whole when copied or pointed at. */
import { useEffect, useState } from "preact/hooks";
import { useLabel } from "./labels.ts";

const COPIED_MS = 1500;
const [HEAD, TAIL] = [10, 8];

export function shortened(text: string, head = HEAD, tail = TAIL): string {
  return text.length <= head + tail + 3 ? text : `${text.slice(0, head)}…${text.slice(-tail)}`;
}

export interface IdProps {
  readonly value: string;
  /** where it leads; undefined: nowhere */
  readonly href?: string | undefined;
  /** shows all of it, as at the top of a page */
  readonly isWhole?: boolean;
  readonly hasCopy?: boolean;
}

export function Id({ value, href, isWhole = false, hasCopy = isWhole }: IdProps) {
  const text = isWhole ? value : shortened(value);
  return (
    <span class={isWhole ? "id whole" : "id"}>
      {href === undefined ? (
        <code title={value}>{text}</code>
      ) : (
        <a href={href} title={value}>
          <code>{text}</code>
        </a>
      )}
      {hasCopy && <Copy text={value} />}
    </span>
  );
}

/** An address, by its name where the server gives it one. */
export function AddressId(props: IdProps) {
  const label = useLabel(props.value);
  if (label === undefined) return <Id {...props} />;
  const { value, href, isWhole = false, hasCopy = isWhole } = props;
  if (isWhole) {
    return (
      <>
        <Id {...props} /> <span class="label">{label}</span>
      </>
    );
  }
  return (
    <span class="id label">
      {href === undefined ? (
        <span title={value}>{label}</span>
      ) : (
        <a href={href} title={value}>
          {label}
        </a>
      )}
      {hasCopy && <Copy text={value} />}
    </span>
  );
}

/** A button that copies a text. */
export function Copy({ text, name = shortened(text) }: { readonly text: string; readonly name?: string }) {
  const [outcome, setOutcome] = useState<"copied" | "not copied">();
  useEffect(() => {
    if (outcome === undefined) return;
    const timer = setTimeout(() => setOutcome(undefined), COPIED_MS);
    return () => clearTimeout(timer);
  }, [outcome]);
  const copy = async () => setOutcome((await writeToClipboard(text)) ? "copied" : "not copied");
  return (
    <button type="button" class="copy" aria-label={`Copy ${name}`} onClick={copy}>
      <svg viewBox="0 0 16 16" aria-hidden="true">
        <path d={outcome === "copied" ? "M3 8.5l3.5 3.5L13 4.5" : "M5.5 5.5V2.5h8v8h-3M2.5 5.5h8v8h-8z"} />
      </svg>
      <span class="sr-only" role="status">
        {outcome}
      </span>
    </button>
  );
}

/** Pages over plain HTTP from another machine have no clipboard API; there the text is selected and copied. */
async function writeToClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const field = document.createElement("textarea");
    field.value = text;
    document.body.append(field);
    field.select();
    const isCopied = document.execCommand("copy");
    field.remove();
    return isCopied;
  }
}
