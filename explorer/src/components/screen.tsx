/** A screen, whose code is loaded when it is opened for the first time. */
import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Failure, ScreenLoading } from "./states.tsx";

export type Params = Readonly<Record<string, string>>;
export type ScreenOf = ComponentType<{ readonly params: Params }>;
export type LoadScreen = () => Promise<ScreenOf>;

const loaded = new Map<LoadScreen, ScreenOf>();
const asked = new Map<LoadScreen, Promise<ScreenOf>>();

/** Asks for a screen's code, once. Who renders the screen hears of a failure. */
export function askFor(load: LoadScreen): Promise<ScreenOf> {
  let screen = asked.get(load);
  if (screen === undefined) {
    screen = load();
    asked.set(load, screen);
    screen.then(
      (code) => loaded.set(load, code),
      () => asked.delete(load),
    );
  }
  return screen;
}

export function Screen({ load, params }: { readonly load: LoadScreen; readonly params: Params }) {
  const [, setCount] = useState(0);
  const [error, setError] = useState<unknown>();
  const Loaded = loaded.get(load);
  useEffect(() => {
    // it may have come since it was rendered
    if (Loaded !== undefined) return;
    let isGone = false;
    askFor(load).then(
      () => !isGone && setCount((count) => count + 1),
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
