/** Fields for the parameters of a function, and a button that does something with what was typed. */
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { AbiItem } from "./abi/abi-item.ts";

interface CallFormProps {
  readonly item: AbiItem;
  readonly button: string;
  /** more fields */
  readonly children?: ComponentChildren;
  /** Returns what is shown then; what it throws is shown as an error. */
  run(texts: readonly string[]): Promise<ComponentChildren>;
}

export function CallForm({ item, button, children, run }: CallFormProps) {
  const [texts, setTexts] = useState<readonly string[]>(item.inputs.map(() => ""));
  const [outcome, setOutcome] = useState<ComponentChildren>();
  const [error, setError] = useState<unknown>();
  const [isRunning, setRunning] = useState(false);
  const ask = async (event: Event) => {
    event.preventDefault();
    setError(undefined);
    setOutcome(undefined);
    setRunning(true);
    try {
      setOutcome(await run(texts));
    } catch (reason) {
      setError(reason);
    }
    setRunning(false);
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
      {children}
      <button type="submit" disabled={isRunning}>
        {button}
      </button>
      <div role="status">
        {error !== undefined && <p class="bad">{sentenceOf(error)}</p>}
        {outcome}
      </div>
    </form>
  );
}

/** Wallets reject with objects that are no errors (EIP-1193). */
function sentenceOf(error: unknown): string {
  return (error as { readonly message?: string } | null)?.message ?? String(error);
}
