/** All commands. To add one, write its file and add a line here. */

import type { CommandDefinition } from "./command.ts";
import { accountsCommand } from "./devnet/accounts.ts";
import { devnetCommand } from "./devnet/devnet.ts";
import { fundCommand } from "./devnet/fund.ts";
import { l1CreateCommand } from "./devnet/l1-create.ts";
import { l1ListCommand } from "./devnet/l1-list.ts";
import { mineCommand } from "./devnet/mine.ts";
import { revertCommand } from "./devnet/revert.ts";
import { snapshotCommand } from "./devnet/snapshot.ts";
import { snapshotDeleteCommand } from "./devnet/snapshot-delete.ts";
import { snapshotsCommand } from "./devnet/snapshots.ts";
import { timeAdvanceCommand } from "./devnet/time-advance.ts";
import { timeSetCommand } from "./devnet/time-set.ts";
import { timeShowCommand } from "./devnet/time-show.ts";
import { uptimeGetCommand } from "./devnet/uptime-get.ts";
import { uptimeSetCommand } from "./devnet/uptime-set.ts";
import { followCommand } from "./follow/follow.ts";
import { ingestCommand } from "./follow/ingest.ts";
import { keysAddCommand } from "./keys-add.ts";
import { keysListCommand } from "./keys-list.ts";
import { keysRevokeCommand } from "./keys-revoke.ts";
import { peersCommand } from "./peers.ts";
import { serveCommand } from "./serve.ts";
import { archiveExportCommand } from "./store/archive-export.ts";
import { archiveFetchCommand } from "./store/archive-fetch.ts";
import { archiveVerifyCommand } from "./store/archive-verify.ts";
import { copyCommand } from "./store/copy.ts";
import { forgetCommand } from "./store/forget.ts";
import { importCommand } from "./store/import.ts";
import { reindexCommand } from "./store/reindex.ts";
import { retraceCommand } from "./store/retrace.ts";
import { statusCommand } from "./store/status.ts";
import { verifyCommand } from "./verify.ts";

export const commands: readonly CommandDefinition[] = [
  devnetCommand,
  accountsCommand,
  fundCommand,
  timeShowCommand,
  timeAdvanceCommand,
  timeSetCommand,
  uptimeGetCommand,
  uptimeSetCommand,
  mineCommand,
  l1CreateCommand,
  l1ListCommand,
  snapshotCommand,
  snapshotDeleteCommand,
  snapshotsCommand,
  revertCommand,
  importCommand,
  followCommand,
  ingestCommand,
  peersCommand,
  retraceCommand,
  forgetCommand,
  serveCommand,
  statusCommand,
  reindexCommand,
  copyCommand,
  verifyCommand,
  archiveExportCommand,
  archiveFetchCommand,
  archiveVerifyCommand,
  keysAddCommand,
  keysListCommand,
  keysRevokeCommand,
];
