/** What a part of a screen shows while its answer is not there, or is not what was hoped for. */
import type { ComponentChildren } from "preact";
import { ApiError } from "../api/errors.ts";
import { to } from "../router.ts";
import { Id } from "./id.tsx";

/** Lines where the answer will be, so that what comes moves little. `index.html` begins with the same. */
export function Loading({ what = "Loading" }: { readonly what?: string }) {
  return (
    <div class="loading" role="status">
      <span class="sr-only">{what} …</span>
      <span class="skeleton" aria-hidden="true" />
      <span class="skeleton" aria-hidden="true" />
      <span class="skeleton" aria-hidden="true" />
    </div>
  );
}

/** A screen that is not there yet; the ID that it is about stands there already. */
export function ScreenLoading() {
  const id = idInPath();
  return (
    <>
      {id !== undefined && (
        <h1>
          <Id value={id} hasCopy />
        </h1>
      )}
      <Loading />
    </>
  );
}

/** An error with the API's own sentence, and what helps: to try again, or to look elsewhere for what is not found. */
export function Failure({ error, onRetry }: { readonly error: unknown; readonly onRetry?: () => void }) {
  const isNotFound = error instanceof ApiError && error.isNotFound;
  const canHelp = !(error instanceof ApiError && error.isFinal);
  return (
    <div class={isNotFound ? "notice" : "notice bad"} role="alert">
      <p>
        <strong>{isNotFound ? "Not found." : "This could not be read."}</strong> {error instanceof Error ? error.message : String(error)}
      </p>
      {isNotFound && <Elsewhere />}
      {canHelp && onRetry && (
        <button type="button" onClick={onRetry}>
          Try again
        </button>
      )}
    </div>
  );
}

/** Parts of paths that are IDs, hashes or addresses, not words or heights. */
const NAMED = /^(?=.*\d)[\w-]{20,}$/;

function idInPath(): string | undefined {
  return location.hash.split("/").findLast((part) => NAMED.test(part));
}

/** The ID in the path may be one of another chain or of another kind. */
function Elsewhere() {
  const id = idInPath();
  if (id === undefined) return null;
  return (
    <p>
      <a href={to.search(id)}>Search for it on all chains</a>
    </p>
  );
}

export function Empty({ children }: { readonly children: ComponentChildren }) {
  return <p class="empty quiet">{children}</p>;
}

interface Asked<T> {
  readonly data: T | undefined;
  readonly error: unknown;
  refetch(): unknown;
}

/** Shows an answer once it is there. An older answer stays while a newer one cannot be read. */
export function Answer<T>({ of, children }: { readonly of: Asked<T>; readonly children: (answer: T) => ComponentChildren }) {
  if (of.data !== undefined) return <>{children(of.data)}</>;
  if (of.error) return <Failure error={of.error} onRetry={() => of.refetch()} />;
  return <Loading />;
}
