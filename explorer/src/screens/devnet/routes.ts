/** The screen that drives a devnet. */
import type { ScreenRoute } from "../screens.ts";

export const devnetScreens: readonly ScreenRoute[] = [{ path: "/devnet", load: () => import("./devnet.tsx").then(({ Devnet }) => Devnet) }];
