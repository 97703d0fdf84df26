/**
 * Which rules a block is checked against (chain-rules 0.2).
 * - `full`: all of them
 * - `replay`: those that the reference node checks for blocks it already trusts; the resulting state is the same
 */
export type RuleLevel = "full" | "replay";
