/** Where a follower and a node of the same network answer differently although both are right. */
import { isDeepStrictEqual } from "node:util";

export interface Difference {
  readonly path: string;
  readonly method: string;
  readonly params?: unknown;
  /** of the node, and of the follower */
  readonly a: { readonly text: string };
  readonly b: { readonly text: string };
}

/** The P-chain builds one a second at most. */
const BLOCKS_OF_30_S = 30;

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
    // the oldest block of the last 30 s by the asked node's clock: two nodes at one height differ too
    methods: ["platform.getProposedHeight", "proposervm.getProposedHeight"],
    isKnown: ({ a, b }) => Math.abs(heightIn(a.text) - heightIn(b.text)) <= BLOCKS_OF_30_S,
  },
  {
    // the same height
    methods: ["platform.getValidatorsAt"],
    isKnown: ({ params }) => (params as { readonly height?: unknown } | undefined)?.height === "proposed",
  },
  {
    // since release 1.15.2 a node tells what auto-renewed validators restaked
    methods: ["platform.getCurrentValidators"],
    isKnown: ({ a, b }) => !a.text.includes("restaked") && areSame(validatorsIn(a.text), validatorsIn(b.text)),
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

/** NaN: none */
function heightIn(text: string): number {
  return Number(/"height":"(\d+)"/.exec(text)?.[1]);
}

type Validators = Map<unknown, object> | undefined;

/** By node, without what is the asked node's own or new. Undefined if there are none. */
function validatorsIn(text: string): Validators {
  if (!text.startsWith("{")) return undefined;
  const { result } = JSON.parse(text) as { result?: { validators?: Record<string, unknown>[] } };
  const entries = result?.validators?.map(
    ({ uptime: _u, connected: _c, restakedValidationRewards: _v, restakedDelegateeRewards: _d, ...validator }) =>
      [validator.validationID ?? validator.txID, validator] as const,
  );
  return entries && new Map(entries);
}

function areSame(node: Validators, follower: Validators): boolean {
  return node !== undefined && isDeepStrictEqual(node, follower);
}
