/** Cases about tokens as a whole and about who holds them. */
import type { Case, CaseMaker } from "./case-maker.ts";
import { Holders, type OracleHolder } from "./holders.ts";

const SOME_TYPES = ["ERC-20", "ERC-721", "ERC-1155"];
const NO_ID = 2n ** 255n - 19n;

export function* tokenCases(maker: CaseMaker): Generator<Case> {
  const { lists, ercTypes } = maker.court;
  const holders = new Holders(lists.blocks);
  const tokens = holders.tokens();
  const isTold = ({ token }: { token: string }) => ercTypes.has(token);
  const listed = (ercType?: string) =>
    tokens.filter(({ token }) => {
      const type = ercTypes.get(token);
      return type !== undefined && type !== "UNKNOWN" && (ercType === undefined || type === ercType);
    });
  const shown = (wanted: readonly { token: string; height: number }[]) =>
    Promise.all(wanted.map(({ token, height }) => tokenOf(maker, holders, token, height)));
  if (tokens.every(isTold)) {
    for (const ercType of [undefined, ...SOME_TYPES]) {
      yield maker.list(maker.path("/tokens"), "tokens", { ercType }, () => shown(listed(ercType)));
    }
  }
  for (const { token, height } of tokens) {
    const ercType = ercTypes.get(token);
    if (ercType === undefined) continue;
    const path = maker.path(`/tokens/${token}`);
    const isToken = ercType !== "UNKNOWN";
    yield maker.one(path, {}, () => (isToken ? tokenOf(maker, holders, token, height) : undefined));
    if (!isToken) yield maker.one(`${path}/holders`, {}, () => undefined);
    for (const id of !isToken ? [] : ercType === "ERC-1155" ? [...holders.tokenIds(token), NO_ID] : [undefined]) {
      const tokenId = id === undefined ? undefined : `${id}`;
      const wanted = () => holders.of(ercType, token, id).map(holderShown(maker));
      yield maker.list(`${path}/holders`, "holders", { tokenId }, wanted);
      const seen = ({ ercType, isExact }: Record<string, unknown>) => ({ ercType, isExact });
      yield maker.one(
        `${path}/holders`,
        { tokenId, pageSize: 1 },
        async () => ({ ercType, isExact: await isExact(maker, holders, token) }),
        { seen },
      );
    }
  }
}

const holderShown =
  ({ court: { answers } }: CaseMaker) =>
  ({ holder, balance }: OracleHolder) => ({ address: answers.plain(holder), balance: `${balance}` });

async function tokenOf(maker: CaseMaker, holders: Holders, token: string, height: number) {
  const { lists, answers, ercTypes } = maker.court;
  const ercType = ercTypes.get(token)!;
  const ids = ercType === "ERC-1155" ? [...holders.tokenIds(token)] : [undefined];
  const held = ids.flatMap((id) => holders.of(ercType, token, id));
  return answers.token(token, {
    ercType,
    supply: held.reduce((sum, { balance }) => sum + balance, 0n),
    holderCount: ercType === "ERC-1155" ? undefined : held.length,
    transferCount: holders.transfers(token),
    isExact: await isExact(maker, holders, token),
    firstBlockNumber: `${height}`,
    made: lists.deploymentOf(token),
  });
}

/** Whether every holder has what the transfers say when the contract is asked. */
async function isExact({ court }: CaseMaker, holders: Holders, token: string): Promise<boolean> {
  if (holders.isImpossible(token)) return false;
  const ercType = court.ercTypes.get(token)!;
  const last = court.stateHeights.at(-1)!;
  for (const id of ercType === "ERC-1155" ? holders.tokenIds(token) : [undefined]) {
    for (const { holder, balance } of holders.of(ercType, token, id)) {
      if ((await court.ledger.balance(token, holder, id, last)) !== balance) return false;
    }
  }
  return true;
}
