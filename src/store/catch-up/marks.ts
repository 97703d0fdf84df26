/**
 * What the values of all layers but the oldest begin with: VALUE_MARK, or this. A removed row hides those of older layers; its value is the
 * mark alone.
 */
export const REMOVED = 0;
