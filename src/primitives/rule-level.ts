/**
 * How much of the rules a block is held against (chain-rules 0.2).
 * - `full`: everything
 * - `replay`: what the reference node checks of blocks that it already trusts; the resulting state is the same
 */
export type RuleLevel = "full" | "replay";
