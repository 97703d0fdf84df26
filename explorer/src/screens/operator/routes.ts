/** The screen that says how the server is. */
import type { ScreenRoute } from "../../components/screen.tsx";

export const operatorScreens: readonly ScreenRoute[] = [
  { path: "/operator", load: () => import("./operator.tsx").then(({ Operator }) => Operator) },
];
