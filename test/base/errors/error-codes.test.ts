import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { errorCodes } from "../../../src/base/errors/error-codes.ts";
import { FirnError } from "../../../src/base/errors/errors.ts";
import { isForNow } from "../../../src/chains/mempool/mempool.ts";
import { NotYetError, RuleError, within } from "../../../src/network/execution.ts";

const source = new URL("../../../src/", import.meta.url).pathname;

test("every code of the table is raised somewhere, and means a sentence", () => {
  const files = (readdirSync(source, { recursive: true }) as string[]).filter(
    (name) => name.endsWith(".ts") && !name.endsWith("error-codes.ts"),
  );
  const text = files.map((name) => readFileSync(join(source, name), "utf8")).join("\n");
  // codes that are put together of a class's prefix and its own word
  const unused = Object.keys(errorCodes).filter(
    (code) => !text.includes(`"${code.replace(/^(codec|upstream)-/, "")}"`) && !text.includes(`"${code}"`),
  );
  expect(unused).toEqual([]);
  for (const { means } of Object.values(errorCodes)) expect(means).toMatch(/^[A-Z].*\.$/);
});

test("an error has a code of the table, or the compiler refuses it; a rule has a code of its own", () => {
  expect(new FirnError("store-full", "full").meaning).toEqual(errorCodes["store-full"]);
  // @ts-expect-error the table has no such code
  expect(new FirnError("store-fill", "full").meaning).toBeUndefined();
  expect(new RuleError("any-rule", "broken")).toMatchObject({ code: "any-rule", category: "rule", meaning: errorCodes.rule });
});

test("a refusal for now stays one whatever surroundings are put before its text", () => {
  const refusal = (error: RuleError): unknown => {
    try {
      return within("outer", () =>
        within("inner", () => {
          throw error;
        }),
      );
    } catch (thrown) {
      return thrown;
    }
  };
  const later = refusal(new NotYetError("time-locked", "output is time locked")) as RuleError;
  expect(later.message).toBe("outer: inner: output is time locked");
  expect(isForNow(later)).toBe(true);
  expect(isForNow(refusal(new RuleError("time-locked", "a rule of the same code")) as RuleError)).toBe(false);
});
