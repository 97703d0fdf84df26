/** Verdicts of `evm_token_checks`. */
export const LIES = 1;
export const IS_NO_TOKEN = 2;
