/** How many blocks and how many transactions of a chain an overview shows. */
export const NEWEST = 5;
