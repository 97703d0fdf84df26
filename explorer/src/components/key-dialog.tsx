/** Asks for an API key once a server wants one. */
import { useEffect, useRef, useState } from "preact/hooks";
import { apiKey, onApiKeyWanted, setApiKey } from "../api/api-key.ts";
import { queries } from "../api/queries.ts";

export function KeyDialog() {
  const dialog = useRef<HTMLDialogElement>(null);
  const [key, setKey] = useState("");
  const [isWanted, setWanted] = useState(false);
  useEffect(() => onApiKeyWanted(setWanted), []);
  useEffect(() => {
    if (isWanted && !dialog.current?.open) dialog.current?.showModal();
    if (!isWanted) dialog.current?.close();
  }, [isWanted]);
  const send = (event: Event) => {
    event.preventDefault();
    if (key.trim() === "") return;
    setApiKey(key.trim());
    setKey("");
    void queries.resetQueries();
  };
  return (
    <dialog ref={dialog} aria-labelledby="key-title">
      <form onSubmit={send}>
        <h2 id="key-title">This server asks for an API key</h2>
        {apiKey() !== undefined && <p class="bad">It does not accept the key that you gave for this.</p>}
        <p>The key stays in this tab until you close it, and is sent to this server only.</p>
        <label>
          API key
          <input type="password" autocomplete="off" required value={key} onInput={({ currentTarget }) => setKey(currentTarget.value)} />
        </label>
        <p class="actions">
          <button type="submit" class="primary">
            Use the key
          </button>
          <button type="button" onClick={() => dialog.current?.close()}>
            Not now
          </button>
        </p>
      </form>
    </dialog>
  );
}
