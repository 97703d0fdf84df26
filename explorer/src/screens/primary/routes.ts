/** Screens of P, X and C's imports and exports. */
import type { ScreenRoute } from "../../components/screen.tsx";

const transaction = () => import("./transaction.tsx");
const block = () => import("./block.tsx");
const lists = () => import("./lists.tsx");

export const primaryScreens: readonly ScreenRoute[] = [
  { path: "/P/tx/:id", load: () => transaction().then((screens) => screens.PlatformTransactionScreen) },
  { path: "/X/tx/:id", load: () => transaction().then((screens) => screens.AssetTransactionScreen) },
  { path: "/C/tx/:id", load: () => transaction().then((screens) => screens.AtomicTransactionScreen) },
  { path: "/P/block/:id", load: () => block().then((screens) => screens.PlatformBlockScreen) },
  { path: "/X/block/:id", load: () => block().then((screens) => screens.AssetBlockScreen) },
  { path: "/C/block/:id", load: () => block().then((screens) => screens.AtomicBlockScreen) },
  { path: "/P/blocks", load: () => lists().then((screens) => screens.PlatformBlocksScreen) },
  { path: "/X/blocks", load: () => lists().then((screens) => screens.AssetBlocksScreen) },
  { path: "/C/blocks", load: () => lists().then((screens) => screens.AtomicBlocksScreen) },
  { path: "/P/txs", load: () => lists().then((screens) => screens.PlatformTransactionsScreen) },
  { path: "/X/txs", load: () => lists().then((screens) => screens.AssetTransactionsScreen) },
  { path: "/C/txs", load: () => lists().then((screens) => screens.AtomicTransactionsScreen) },
  { path: "/X/vertices", load: () => lists().then((screens) => screens.VerticesScreen) },
  { path: "/X/vertex/:id", load: () => import("./vertex.tsx").then((screens) => screens.VertexScreen) },
  { path: "/asset/:id", load: () => import("./asset.tsx").then((screens) => screens.AssetScreen) },
];
