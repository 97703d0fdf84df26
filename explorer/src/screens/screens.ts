/** All screens by path. To add one, write its file, a line here, and its path in `router.ts`. */
import type { LoadScreen } from "../components/screen.tsx";

export interface ScreenRoute {
  /** `:name` is a part of the path that the screen gets as a parameter; `?` makes it optional */
  readonly path: string;
  readonly load: LoadScreen;
}

export const screens: readonly ScreenRoute[] = [{ path: "/", load: () => import("./home/home.tsx").then(({ Home }) => Home) }];
