/** The screens of validators, L1s, subnets and blockchains by path. */
import type { ScreenRoute } from "../../components/screen.tsx";

export const stakingScreens: readonly ScreenRoute[] = [
  { path: "/validators/:tab?", load: () => import("./validators.tsx").then(({ Validators }) => Validators) },
  { path: "/validator/:nodeId/:tab?", load: () => import("./validator.tsx").then(({ ValidatorScreen }) => ValidatorScreen) },
  { path: "/l1s/:tab?", load: () => import("./l1s.tsx").then(({ L1s }) => L1s) },
  {
    path: "/l1-validator/:validationId",
    load: () => import("./l1-validator.tsx").then(({ L1ValidatorScreen }) => L1ValidatorScreen),
  },
  { path: "/subnets", load: () => import("./subnets.tsx").then(({ Subnets }) => Subnets) },
  { path: "/subnet/:id/:tab?", load: () => import("./subnet.tsx").then(({ SubnetScreen }) => SubnetScreen) },
  { path: "/blockchain/:id", load: () => import("./blockchain.tsx").then(({ BlockchainScreen }) => BlockchainScreen) },
];
