/** The screen that drives a devnet. */
import type { ScreenRoute } from "../../components/screen.tsx";

export const devnetScreens: readonly ScreenRoute[] = [{ path: "/devnet", load: () => import("./devnet.tsx").then(({ Devnet }) => Devnet) }];
