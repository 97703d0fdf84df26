/** A screen, whose code is loaded when it is opened for the first time. */
import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Failure, ScreenLoading } from "./states.tsx";

export type Params = Readonly<Record<string, string>>;
export type ScreenOf = ComponentType<{ readonly params: Params }>;
export type LoadScreen = () => Promise<ScreenOf>;

const loaded = new Map<LoadScreen, ScreenOf>();

export function Screen({ load, params }: { readonly load: LoadScreen; readonly params: Params }) {
  const [, setCount] = useState(0);
  const [error, setError] = useState<unknown>();
  const Loaded = loaded.get(load);
  useEffect(() => {
    if (loaded.has(load)) return;
    let isGone = false;
    load().then(
      (screen) => {
        loaded.set(load, screen);
        if (!isGone) setCount((count) => count + 1);
      },
      (reason: unknown) => !isGone && setError(reason),
    );
    return () => {
      isGone = true;
    };
  }, [load]);
  // the server has another build of the explorer by now: the page must be loaded again
  if (error !== undefined) return <Failure error={error} onRetry={() => location.reload()} />;
  return Loaded === undefined ? <ScreenLoading /> : <Loaded params={params} />;
}

export interface ScreenRoute {
  /** `:name` is a part of the path that the screen gets as a parameter; `?` makes it optional */
  readonly path: string;
  readonly load: LoadScreen;
  /** whether it is about the primary network, which a server of EVM chains alone does not have */
  readonly isOfPrimaryNetwork?: boolean;
}
