import Type, { type Static } from "typebox";
import { encodeBech32 } from "../../../base/bytes/address.ts";
import { formatId, formatNodeId } from "../../../base/bytes/cb58.ts";
import type { Id } from "../../../base/bytes/id.ts";
import type { L1Owner } from "../../../chains/platform/owner.ts";
import { platformChain } from "../../../chains/platform/tables.ts";
import { mergedScan } from "../../../index/merged-scan.ts";
import { isCharged, l1Balance } from "../../../index/primary/l1s/l1-balance.ts";
import { l1ValidatorScope } from "../../../index/primary/l1s/l1-scope.ts";
import { type L1ValidatorInfo, l1ValidatorLists, l1Validators } from "../../../index/primary/network/network-tables.ts";
import type { DataContext, Position } from "../context.ts";
import { exactInteger } from "../exact-integer.ts";
import { cb58Id, parseIdParam, parseNodeIdParam } from "../ids.ts";
import { namedObject } from "../named-object.ts";
import { pageOf, pageQuery } from "../paging.ts";
import { dataRoute } from "../route.ts";

const ownerSchema = namedObject("BalanceOwner", { addresses: Type.Array(Type.String()), threshold: Type.Integer() });

const l1ValidatorSchema = namedObject("L1ValidatorDetailsFull", {
  validationId: Type.String(),
  validationIdHex: Type.String({ description: "0x and 64 hex digits" }),
  nodeId: Type.String(),
  subnetId: Type.String(),
  weight: exactInteger("never 0: removed ones are not listed"),
  remainingBalance: exactInteger("nAVAX at `blockHeight`, net of the fees accrued until then; 0: inactive"),
  creationTimestamp: Type.Integer({ description: "Unix seconds" }),
  blsCredentials: Type.Object({ publicKey: Type.String() }),
  remainingBalanceOwner: ownerSchema,
  deactivationOwner: ownerSchema,
});

const query = Type.Object({
  ...pageQuery(),
  l1ValidationId: Type.Optional(cb58Id("ID of the only validation to list")),
  nodeId: Type.Optional(Type.String({ description: "`NodeID-…`: only validators on this node" })),
  subnetId: Type.Optional(cb58Id("ID of an L1: only its validators")),
  includeInactiveL1Validators: Type.Boolean({
    default: false,
    description: "Include validators whose balance is used up or was withdrawn.",
  }),
});

export const listL1Validators = dataRoute({
  method: "GET",
  path: "/networks/{network}/l1Validators",
  operationId: "listL1Validators",
  tag: "Primary network: L1 validators",
  summary: "Validators of L1s that were not removed, newest first. Inactive ones are listed on request.",
  description:
    "Filters combine. Balances are those at `blockHeight`: the continuous fee drains them with every second. " +
    "For unknown L1s, nodes and validations the list is empty.",
  cost: "O(pageSize): one range of a list (two with inactive ones) for any combination of filters, and as many validators",
  computeUnits: 20,
  query,
  response: pageOf({
    validators: Type.Array(l1ValidatorSchema),
    blockHeight: Type.String({ description: "P-chain height of the balances" }),
  }),
  async handle({ query: { l1ValidationId, nodeId, subnetId, includeInactiveL1Validators, pageSize } }, context) {
    const filter: Filter = {
      validationId: l1ValidationId === undefined ? undefined : parseIdParam("l1ValidationId", l1ValidationId),
      nodeId: nodeId === undefined ? undefined : parseNodeIdParam("nodeId", nodeId),
      subnetId: subnetId === undefined ? undefined : parseIdParam("subnetId", subnetId),
      states: includeInactiveL1Validators ? [true, false] : [true],
    };
    const { validationIds, next } = await findValidators(filter, pageSize, context);
    const [rows, state] = await Promise.all([
      context.reader.getMany(
        l1Validators,
        validationIds.map((validationId) => ({ validationId })),
      ),
      context.reader.get(platformChain, { slot: 0 }),
    ]);
    const { height, accruedFees } = state!;
    const validators = validationIds.map((validationId, i) => present(validationId, rows[i]!, accruedFees, context));
    return { validators, blockHeight: `${height}`, ...context.nextPage(next) };
  },
});

interface Filter {
  readonly validationId: Id | undefined;
  readonly nodeId: string | undefined;
  readonly subnetId: Id | undefined;
  /** values of `isActive` */
  readonly states: readonly boolean[];
}

interface Found {
  readonly validationIds: readonly Id[];
  readonly next: Position | undefined;
}

async function findValidators(filter: Filter, pageSize: number, { reader, after }: DataContext): Promise<Found> {
  const { validationId, nodeId, subnetId, states } = filter;
  if (validationId !== undefined) {
    const row = await reader.get(l1Validators, { validationId });
    return { validationIds: row !== undefined && passes(row, filter) ? [validationId] : [], next: undefined };
  }
  const scope = l1ValidatorScope({ nodeId, subnetId });
  const rows = await mergedScan(reader, l1ValidatorLists, {
    prefixes: states.map((isActive) => ({ scope, isActive })),
    ...(after && { after }),
    reverse: true,
    limit: pageSize + 1,
  });
  const page = rows.slice(0, pageSize).map(({ key: { createdAt, validationId } }) => ({ createdAt, validationId }));
  return { validationIds: page.map((key) => key.validationId), next: rows.length > pageSize ? page.at(-1) : undefined };
}

function passes(row: L1ValidatorInfo, { nodeId, subnetId, states }: Filter): boolean {
  const isOfNode = nodeId === undefined || nodeId === row.nodeId;
  const isOfSubnet = subnetId === undefined || subnetId === row.subnetId;
  return isOfNode && isOfSubnet && states.includes(isCharged(row));
}

function present(validationId: Id, row: L1ValidatorInfo, accruedFees: bigint, { network }: DataContext): Static<typeof l1ValidatorSchema> {
  const owner = ({ addresses, threshold }: L1Owner) => ({
    addresses: addresses.map((address) => encodeBech32(network.hrp, address)),
    threshold,
  });
  return {
    validationId: formatId(validationId),
    validationIdHex: `0x${validationId}`,
    nodeId: formatNodeId(row.nodeId),
    subnetId: formatId(row.subnetId),
    weight: row.weight,
    remainingBalance: l1Balance(row, accruedFees),
    creationTimestamp: Number(row.createdAt),
    blsCredentials: { publicKey: `0x${row.publicKey}` },
    remainingBalanceOwner: owner(row.remainingBalanceOwner),
    deactivationOwner: owner(row.deactivationOwner),
  };
}
