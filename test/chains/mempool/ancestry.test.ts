import { expect, test } from "vitest";
import { Ancestry, type ChainedTx } from "../../../src/chains/mempool/mempool.ts";

class Tx implements ChainedTx {
  readonly makes: readonly string[];
  ancestors: readonly this[];

  constructor(makes: readonly string[], ancestors: readonly Tx[] = []) {
    this.makes = makes;
    this.ancestors = ancestors as readonly this[];
  }
}

const always = () => true;

test("what a transaction builds on comes behind its own ancestors, each once", () => {
  const ancestry = new Ancestry<Tx>();
  const subnet = new Tx(["subnet"]);
  const chain = new Tx(["chain"], [subnet]);
  const validator = new Tx(["node", "subnet"], [subnet]);
  for (const tx of [subnet, chain, validator]) ancestry.add(tx);
  expect(ancestry.of(["chain", "node"], always)).toEqual([subnet, chain, validator]);
  expect(ancestry.of(["subnet"], always)).toEqual([subnet, validator]);
  expect(ancestry.of(["other"], always)).toEqual([]);
});

test("those that left are no ancestors any more", () => {
  const ancestry = new Ancestry<Tx>();
  const first = new Tx(["first"]);
  const second = new Tx(["second"], [first]);
  ancestry.add(first);
  ancestry.add(second);
  expect(ancestry.of(["second"], (tx) => tx !== first)).toEqual([second]);
  ancestry.delete(second);
  expect(ancestry.of(["second"], always)).toEqual([]);
  expect(second.ancestors).toEqual([]);
});

test("more than 256 ancestors are none", () => {
  const ancestry = new Ancestry<Tx>();
  for (let n = 0; n < 256; n++) ancestry.add(new Tx(["many"]));
  expect(ancestry.of(["many"], always)).toHaveLength(256);
  ancestry.add(new Tx(["many"]));
  expect(ancestry.of(["many"], always)).toEqual([]);
});
