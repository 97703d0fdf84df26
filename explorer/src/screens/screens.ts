/** All screens by path. To add one, write its file, a line here, and its path in `router.ts`. */
import type { LoadScreen, ScreenRoute } from "../components/screen.tsx";
import { devnetScreens } from "./devnet/routes.ts";
import { evmScreens } from "./evm/routes.ts";
import { operatorScreens } from "./operator/routes.ts";
import { primaryScreens } from "./primary/routes.ts";
import { stakingScreens } from "./staking/routes.ts";

const address: LoadScreen = () => import("./address/address.tsx").then(({ Address }) => Address);

const ofPrimaryNetwork = (route: ScreenRoute): ScreenRoute => ({ ...route, isOfPrimaryNetwork: true });

export const screens: readonly ScreenRoute[] = [
  { path: "/", load: () => import("./home/home.tsx").then(({ Home }) => Home) },
  ...evmScreens,
  ...[...primaryScreens, ...stakingScreens].map(ofPrimaryNetwork),
  { path: "/search/:query", load: () => import("./search/search.tsx").then(({ Search }) => Search) },
  { path: "/address/:address/:tab?", load: address },
  { path: "/evm/:chainId/address/:address/:tab?", load: address },
  ...devnetScreens,
  ...operatorScreens,
];
