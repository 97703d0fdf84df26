/** Small wrong changes of source files, drawn by a seed. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseAst } from "rolldown/parseAst";
import { randomOf } from "../random.ts";

export interface Mutant {
  /** from the root of the repository */
  readonly file: string;
  readonly line: number;
  /** what is replaced, as characters of the file */
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
}

/** A node of an ESTree. */
interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [member: string]: unknown;
}

const OPERATORS: Readonly<Record<string, string>> = {
  ...{ "<": "<=", "<=": "<", ">": ">=", ">=": ">", "===": "!==", "!==": "===" },
  ...{ "+": "-", "-": "+", "*": "/", "/": "*", "%": "*", "&&": "||", "||": "&&", "??": "&&", "&": "|", "|": "&", "<<": ">>", ">>": "<<" },
};
/** of arrays: the list stays one without them */
const DROPPED = /^(toSorted|toReversed|slice|filter|reverse|flat|trim|toLowerCase)$/;

/** Draws from all changes of all files, each as likely as any other. */
export function drawMutants(root: string, seed: number, count: number): readonly Mutant[] {
  const files = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .sort();
  const all = files.flatMap((file) => mutantsOf(`src/${file}`, readFileSync(join(root, "src", file), "utf8")));
  const random = randomOf(seed);
  return Array.from({ length: Math.min(count, all.length) }, () => all.splice(Math.floor(random() * all.length), 1)[0]!);
}

export function mutantsOf(file: string, source: string): readonly Mutant[] {
  const found: Mutant[] = [];
  const replace = (start: number, end: number, replacement: string) => {
    const line = source.slice(0, start).split("\n").length;
    found.push({ file, line, start, end, replacement });
  };
  const visit = (node: Node) => {
    // types do nothing when the program runs
    if (node.type.startsWith("TS") && !/^TS(As|NonNull|Satisfies)/.test(node.type)) return;
    mutate(node, source, replace);
    for (const child of Object.values(node)) {
      for (const each of Array.isArray(child) ? child : [child]) if (isNode(each)) visit(each);
    }
  };
  visit(parseAst(source, { lang: "ts", sourceType: "module" }) as unknown as Node);
  return found;
}

function mutate(node: Node, source: string, replace: (start: number, end: number, replacement: string) => void): void {
  const part = (member: string) => node[member] as Node;
  const { type, start, end } = node;
  if (type === "BinaryExpression" || type === "LogicalExpression") {
    const [left, right] = [part("left"), part("right")];
    const operator = OPERATORS[node.operator as string];
    const at = source.indexOf(node.operator as string, left.end);
    if (operator !== undefined && at < right.start) replace(at, at + (node.operator as string).length, operator);
  } else if (type === "UnaryExpression" && node.operator === "!") {
    replace(start, start + 1, "");
  } else if (type === "IfStatement" || type === "ConditionalExpression") {
    for (const value of ["true", "false"]) replace(part("test").start, part("test").end, value);
  } else if (type === "Literal" && typeof node.value === "boolean") {
    replace(start, end, String(!node.value));
  } else if (type === "Literal" && (typeof node.value === "number" || typeof node.value === "bigint")) {
    replace(start, end, `(${source.slice(start, end)} + 1${typeof node.value === "bigint" ? "n" : ""})`);
  } else if (type === "ExpressionStatement" && /^(Call|Await|Assignment|Update)Expression$/.test(part("expression").type)) {
    replace(start, end, ";");
  } else if ((type === "ReturnStatement" && node.argument === null) || type === "ContinueStatement" || type === "BreakStatement") {
    replace(start, end, ";");
  } else if (type === "CallExpression" && part("callee").type === "MemberExpression") {
    const { object, property } = part("callee") as unknown as { object: Node; property: Node };
    if (DROPPED.test(source.slice(property.start, property.end))) replace(object.end, end, "");
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && typeof (value as Node).type === "string";
}
