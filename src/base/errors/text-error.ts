import { FirnError } from "./errors.ts";

/**
 * A text is not a valid form of the expected value. The message is the reference node's fragment (rpc-platform 2.2, 2.6, 2.7), which
 * callers append to their context, as the node does.
 */
export class TextError extends FirnError {}
