import fc from "fast-check";
import { expect, test } from "vitest";
import { terminalLine, terminalText } from "../../../src/base/text/terminal-text.ts";

test("what commands a terminal is spelled out, and lines stay lines", () => {
  expect(terminalText("\u001b[2J\u009b31m\u0007 a\n\tb \r c\u007f")).toBe("\\u001b[2J\\u009b31m\\u0007 a\n\tb \\u000d c\\u007f");
  expect(terminalText("gnp.\u202eexe \u2066x\u2069 \u{e0041}")).toBe("gnp.\\u202eexe \\u2066x\\u2069 \\udb40\\udc41");
  expect(terminalText("Zürich 🏔 …")).toBe("Zürich 🏔 …");
  expect(terminalLine("fine\nfirn: all is well\t")).toBe("fine\\u000afirn: all is well\\u0009");
});

const anyText = fc.string({ unit: "binary" });

test("JSON means the same afterwards", () => {
  fc.assert(fc.property(anyText, (text) => JSON.parse(terminalText(JSON.stringify(text))) === text));
});

test("no text commands a terminal", () => {
  fc.assert(fc.property(anyText, (text) => !/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u.test(terminalLine(text))));
});
