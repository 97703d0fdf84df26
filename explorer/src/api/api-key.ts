/** The API key that the user gave. It is kept until the browser's tab is closed, and sent to this API only. */
const NAME = "firn-api-key";
const listeners = new Set<(isWanted: boolean) => void>();
let isWanted = false;

export function apiKey(): string | undefined {
  return sessionStorage.getItem(NAME) ?? undefined;
}

export function setApiKey(key: string): void {
  sessionStorage.setItem(NAME, key);
  want(false);
}

/** Called when the server refuses a request for want of a key. */
export function wantApiKey(): void {
  want(true);
}

/** Calls the listener now and whenever a key is wanted or no longer wanted. Returns how to stop that. */
export function onApiKeyWanted(listener: (isWanted: boolean) => void): () => void {
  listeners.add(listener);
  listener(isWanted);
  return () => listeners.delete(listener);
}

function want(next: boolean): void {
  isWanted = next;
  for (const listener of listeners) listener(next);
}
