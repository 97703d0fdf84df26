/**
 * Heights of the mainnet C-chain whose blocks were accepted without applying their imports to shared memory, because other blocks
 * hold the same imports (chain-rules 16.6).
 */
import type { Network } from "../../network/network.ts";

const MAINNET_ID = 1;

const heights: ReadonlySet<number> = new Set([
  102972, 103105, 103143, 103183, 103197, 103203, 103208, 103209, 103259, 103261, 103266, 103287, 103339, 103346, 103350, 103358, 103437,
  103472, 103478, 103493, 103514, 103536, 103545, 103547, 103554, 103555, 103559, 103561, 103563, 103564, 103569, 103570, 103575, 103577,
  103578, 103582, 103587, 103590, 103591, 103594, 103597, 103598, 103603, 103604, 103607, 103612, 103614, 103617, 103618, 103621, 103623,
  103624, 103627, 103628, 103629, 103630, 103633,
]);

export function isBonusBlock(network: Network, height: bigint): boolean {
  return network.networkId === MAINNET_ID && heights.has(Number(height));
}
