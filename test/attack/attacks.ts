/** All attacks, in the order in which they run. */
import { type Attack, TARGET_KINDS } from "./attack.ts";
import { analystLocks } from "./attacks/analyst-locks.ts";
import { connectionChurn } from "./attacks/connection-churn.ts";
import { connectionFlood } from "./attacks/connection-flood.ts";
import { dearDelegators } from "./attacks/dear-delegators.ts";
import { dearLists } from "./attacks/dear-lists.ts";
import { dearRpc } from "./attacks/dear-rpc.ts";
import { dearTraces } from "./attacks/dear-traces.ts";
import { distinctAnswers } from "./attacks/distinct-answers.ts";
import { duplicateKeys } from "./attacks/duplicate-keys.ts";
import { evmDearCalls } from "./attacks/evm-dear-calls.ts";
import { evmEchoedIds } from "./attacks/evm-echoed-ids.ts";
import { evmLargeBodies } from "./attacks/evm-large-bodies.ts";
import { evmLargeFrames } from "./attacks/evm-large-frames.ts";
import { evmNullBatches } from "./attacks/evm-null-batches.ts";
import { foreignOrigins } from "./attacks/foreign-origins.ts";
import { forgedTokens } from "./attacks/forged-tokens.ts";
import { halfBodies } from "./attacks/half-bodies.ts";
import { hiddenEvm } from "./attacks/hidden-evm.ts";
import { hostileBuilds } from "./attacks/hostile-builds.ts";
import { hostilePeers } from "./attacks/hostile-peers.ts";
import { hostileUpstreams } from "./attacks/hostile-upstreams.ts";
import { hugeAddress } from "./attacks/huge-address.ts";
import { hugeHeaders } from "./attacks/huge-headers.ts";
import { issueFlood } from "./attacks/issue-flood.ts";
import { jsonShapes } from "./attacks/json-shapes.ts";
import { logFilters } from "./attacks/log-filters.ts";
import { longTargets } from "./attacks/long-targets.ts";
import { manyAddresses } from "./attacks/many-addresses.ts";
import { oddHttp } from "./attacks/odd-http.ts";
import { ownPages } from "./attacks/own-pages.ts";
import { requestFlood } from "./attacks/request-flood.ts";
import { slowBodies } from "./attacks/slow-bodies.ts";
import { slowHeaders } from "./attacks/slow-headers.ts";
import { slowReaders } from "./attacks/slow-readers.ts";
import { tinyChunks } from "./attacks/tiny-chunks.ts";
import { unknownNames } from "./attacks/unknown-names.ts";
import { unreadAnswers } from "./attacks/unread-answers.ts";
import { webSocketConnections } from "./attacks/web-socket-connections.ts";
import { webSocketFlood } from "./attacks/web-socket-flood.ts";
import { webSocketFragments } from "./attacks/web-socket-fragments.ts";
import { webSocketUnread } from "./attacks/web-socket-unread.ts";
import { webhookFlood } from "./attacks/webhook-flood.ts";

/** Nobody attacks: what the machine itself makes of the well-behaved client. */
const quiet: Attack = { name: "quiet", does: "nothing", targets: TARGET_KINDS, run: (attacker) => attacker.wait() };

export const attacks: readonly Attack[] = [
  quiet,
  evmLargeBodies,
  evmLargeFrames,
  evmNullBatches,
  evmEchoedIds,
  evmDearCalls,
  manyAddresses,
  hugeAddress,
  unreadAnswers,
  slowReaders,
  dearDelegators,
  dearTraces,
  duplicateKeys,
  halfBodies,
  slowHeaders,
  slowBodies,
  tinyChunks,
  connectionFlood,
  connectionChurn,
  requestFlood,
  webSocketUnread,
  webSocketFlood,
  webSocketConnections,
  webSocketFragments,
  logFilters,
  hiddenEvm,
  foreignOrigins,
  jsonShapes,
  longTargets,
  hugeHeaders,
  distinctAnswers,
  dearRpc,
  dearLists,
  forgedTokens,
  unknownNames,
  analystLocks,
  oddHttp,
  ownPages,
  issueFlood,
  hostileBuilds,
  webhookFlood,
  ...hostilePeers,
  ...hostileUpstreams,
];
