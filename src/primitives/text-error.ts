import { FirnError } from "./errors.ts";

/**
 * A text that is no valid form of what it should be. The message is the reference node's own fragment (rpc-platform 2.2, 2.6, 2.7):
 * callers put it behind their context, as the node does.
 */
export class TextError extends FirnError {}
