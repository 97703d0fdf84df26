/** Where a follower and a node of the same network answer differently although both are right. */

export interface Difference {
  readonly path: string;
  readonly method: string;
  /** of the node, and of the follower */
  readonly a: { readonly text: string };
  readonly b: { readonly text: string };
}

const KNOWN: readonly { readonly methods: readonly string[]; readonly isKnown: (difference: Difference) => boolean }[] = [
  {
    // all nodes of the network validate its chains, and a follower does not
    methods: ["platform.getBlockchainStatus"],
    isKnown: ({ a, b }) => a.text.replace('"Validating"', '"Syncing"') === b.text,
  },
  {
    // a node that linearized the X-chain itself answers null until it is started again
    methods: ["avm.getBlock", "avm.getBlockByHeight"],
    isKnown: ({ a, b }) => a.text.replace('"txs":null', '"txs":[]') === b.text,
  },
  {
    // the comparison waits for equal heights of P and X
    methods: ["index.getLastAccepted"],
    isKnown: ({ path }) => path === "/ext/index/C/block",
  },
];

export function isKnown(difference: Difference): boolean {
  return KNOWN.some(({ methods, isKnown }) => methods.includes(difference.method) && isKnown(difference));
}
