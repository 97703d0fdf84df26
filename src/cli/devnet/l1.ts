export const l1Group = { name: "l1", summary: "make an L1 in a running devnet, or list its L1s" };
