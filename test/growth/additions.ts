/** Made-up additions to Firn: the files of each, the lines that other files get, and the lines that the compiler asks for. */

export interface Line {
  readonly file: string;
  /** the line goes in front of this one */
  readonly before: string;
  readonly line: string;
}

export interface Addition {
  readonly what: string;
  readonly files: Readonly<Record<string, string>>;
  readonly lines: readonly Line[];
  /** without these the project does not compile, and the compiler names their files */
  readonly asked: readonly Line[];
}

const TX = `import { u32, type Value, variant } from "../../../base/codec/codec.ts";
import { baseComplexity } from "../complexity.ts";
import { verifyFlow } from "../flow.ts";
import { applyBase, baseFields, defineTx, inputKeys, verifyBase } from "./base.ts";

const codec = variant("MeltTx", { ...baseFields, grams: u32 });

export const meltTx = defineTx<Value<typeof codec>>({
  name: "MeltTx",
  typeId: 43,
  since: "helicon",
  codec,
  complexity: baseComplexity,
  names: ({ grams }) => [\`\${grams} g\`],
  balances: ({ grams }) => [BigInt(grams)],
  keysRead: inputKeys,
  verifyForm: verifyBase,
  execute(tx, context) {
    verifyFlow(tx, context);
    applyBase(tx, context.state);
  },
});
`;

const METHOD = `import { method } from "../method.ts";

export const getThaw = method({
  name: "platform.getThaw",
  summary: "Whether it thaws.",
  cost: "no rows",
  computeUnits: 10,
  params: {},
  handler: async () => ({ thaws: true }),
});
`;

const ROUTE = `import Type from "typebox";
import { dataRoute } from "../route.ts";

export const getThaw = dataRoute({
  method: "GET",
  path: "/thaw",
  operationId: "getThaw",
  tag: "Health",
  summary: "Whether it thaws.",
  cost: "O(1): reads no rows",
  computeUnits: 0,
  needs: [],
  query: Type.Object({}),
  response: Type.Object({ thaws: Type.Boolean() }),
  handle: async () => ({ thaws: true }),
});
`;

const COMMAND = `import type { CommandDefinition } from "./command.ts";

export const meltCommand: CommandDefinition = {
  usage: "melt",
  summary: "melt",
  keys: [],
  examples: ["melt"],
  run: async () => {},
};
`;

export const additions: readonly Addition[] = [
  {
    what: "a transaction type of the P-chain",
    files: { "src/chains/platform/tx/melt.ts": TX },
    lines: [
      { file: "src/chains/platform/tx/registry.ts", before: "import { baseTx", line: 'import { meltTx } from "./melt.ts";\n' },
      { file: "src/chains/platform/tx/registry.ts", before: "    baseTx,", line: "    meltTx,\n" },
    ],
    asked: [{ file: "src/api/data/transactions/platform.ts", before: "  AdvanceTimeTx: none,", line: "  MeltTx: none,\n" }],
  },
  {
    what: "a JSON-RPC method",
    files: { "src/api/rpc/platform/get-thaw.ts": METHOD },
    lines: [
      { file: "src/api/rpc/platform/methods.ts", before: "import type", line: 'import { getThaw } from "./get-thaw.ts";\n' },
      { file: "src/api/rpc/platform/methods.ts", before: "  getTimestamp,", line: "  getThaw,\n" },
    ],
    asked: [],
  },
  {
    what: "a route of the Data API",
    files: { "src/api/data/health/get-thaw.ts": ROUTE },
    lines: [
      { file: "src/api/data/routes.ts", before: "import { getAssetDetails", line: 'import { getThaw } from "./health/get-thaw.ts";\n' },
      { file: "src/api/data/routes.ts", before: "  healthCheck,", line: "  getThaw,\n" },
    ],
    asked: [],
  },
  {
    what: "a table",
    files: {},
    lines: [
      {
        file: "src/store/tables.ts",
        before: "export const ingest",
        line: 'export const meltedRows = table({ id: 69, name: "melted_rows", key: { slot: u8 }, value: { grams: u32 } });\n',
      },
    ],
    asked: [],
  },
  {
    what: "a command",
    files: { "src/cli/melt.ts": COMMAND },
    lines: [
      { file: "src/cli/commands.ts", before: "import type", line: 'import { meltCommand } from "./melt.ts";\n' },
      { file: "src/cli/commands.ts", before: "  mineCommand,", line: "  meltCommand,\n" },
    ],
    asked: [],
  },
];
