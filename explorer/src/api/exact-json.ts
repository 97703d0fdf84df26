/** JSON with 64-bit integers. JavaScript would round those that are larger than 2^53, so they become texts. */

const STRING_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
const INTEGER = /^-?\d+$/;
/** Shorter integers are exact. */
const LEAST_LENGTH = 16;

/** The same JSON with texts in place of integers that a number cannot hold. */
export function withExactIntegers(json: string): string {
  return json.replace(STRING_OR_NUMBER, (token) => (isTooLarge(token) ? `"${token}"` : token));
}

function isTooLarge(token: string): boolean {
  return token.length >= LEAST_LENGTH && INTEGER.test(token) && !Number.isSafeInteger(Number(token));
}

const STRING_OR_SIGN = /"[^"\\]*(?:\\.[^"\\]*)*"|\{\s*\}|\[\s*\]|[{}[\],:]/g;
const INDENT = "  ";

/** The same JSON in lines, with every digit as it was. */
export function indented(json: string): string {
  let depth = 0;
  const line = () => `\n${INDENT.repeat(depth)}`;
  return json.trim().replace(STRING_OR_SIGN, (token) => {
    if (token === "{" || token === "[") {
      depth++;
      return token + line();
    }
    if (token === "}" || token === "]") {
      depth--;
      return line() + token;
    }
    return token === "," ? token + line() : token === ":" ? ": " : token;
  });
}
