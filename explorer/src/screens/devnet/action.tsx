/** Something that a form does to the devnet: while it runs, its button rests; then its outcome is said, and everything is read again. */
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { rpc } from "../../api/client.ts";
import { queries } from "../../api/queries.ts";

/** Calls a method of the development API. */
export function firn<T>(method: string, params: object = {}): Promise<T> {
  return rpc<T>("firn", `firn.${method}`, params);
}

interface ActionProps {
  /** does it, and returns what came of it; what it throws is said */
  run(): Promise<ComponentChildren>;
  /** what the button says */
  readonly name: string;
  /** accessible name, if several forms have the same button */
  readonly label?: string;
  /** asked before it is done */
  readonly question?: string;
  readonly children?: ComponentChildren;
}

type Outcome = { readonly is: "good" | "bad"; readonly text: ComponentChildren } | undefined;

/** Stays the same function, so that it is called once. */
function focus(button: HTMLButtonElement | null): void {
  button?.focus();
}

export function Action({ run, name, label, question, children }: ActionProps) {
  const [outcome, setOutcome] = useState<Outcome>();
  const [isRunning, setRunning] = useState(false);
  const [isAsking, setAsking] = useState(false);
  const act = async () => {
    setAsking(false);
    setRunning(true);
    setOutcome(undefined);
    try {
      setOutcome({ is: "good", text: await run() });
      await queries.invalidateQueries();
    } catch (error) {
      setOutcome({ is: "bad", text: error instanceof Error ? error.message : String(error) });
    } finally {
      setRunning(false);
    }
  };
  const submit = (event: Event) => {
    event.preventDefault();
    if (question !== undefined) setAsking(true);
    else void act();
  };
  return (
    <form onSubmit={submit} class="action" noValidate>
      <div class="filters">
        {children}
        {!isAsking && (
          <button type="submit" class="primary" disabled={isRunning} aria-label={label}>
            {isRunning ? "Working …" : name}
          </button>
        )}
        {isAsking && (
          <span>
            {question}{" "}
            <button type="button" class="primary" ref={focus} onClick={act}>
              {name}
            </button>{" "}
            <button type="button" onClick={() => setAsking(false)}>
              Cancel
            </button>
          </span>
        )}
      </div>
      <p role="status" class={outcome?.is}>
        {outcome?.text}
      </p>
    </form>
  );
}

interface FieldProps {
  readonly name: string;
  readonly value: string;
  onValue(value: string): void;
  readonly placeholder?: string;
  readonly width?: "short" | "long";
}

export function Field({ name, value, onValue, placeholder, width = "short" }: FieldProps) {
  return (
    <label>
      {name}
      <input
        type="text"
        class={width}
        value={value}
        placeholder={placeholder}
        spellcheck={false}
        autocomplete="off"
        onInput={({ currentTarget }) => onValue(currentTarget.value)}
      />
    </label>
  );
}
