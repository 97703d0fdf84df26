/** All commands. To add one, write its file and add a line here. */

import { accountsCommand } from "./accounts.ts";
import { archiveExportCommand } from "./archive-export.ts";
import { archiveVerifyCommand } from "./archive-verify.ts";
import type { CommandDefinition } from "./command.ts";
import { copyCommand } from "./copy.ts";
import { devnetCommand } from "./devnet.ts";
import { followCommand } from "./follow.ts";
import { forgetCommand } from "./forget.ts";
import { fundCommand } from "./fund.ts";
import { importCommand } from "./import.ts";
import { ingestCommand } from "./ingest.ts";
import { keysAddCommand } from "./keys-add.ts";
import { keysListCommand } from "./keys-list.ts";
import { keysRevokeCommand } from "./keys-revoke.ts";
import { l1CreateCommand } from "./l1-create.ts";
import { l1ListCommand } from "./l1-list.ts";
import { mineCommand } from "./mine.ts";
import { reindexCommand } from "./reindex.ts";
import { retraceCommand } from "./retrace.ts";
import { revertCommand } from "./revert.ts";
import { serveCommand } from "./serve.ts";
import { snapshotCommand } from "./snapshot.ts";
import { snapshotDeleteCommand } from "./snapshot-delete.ts";
import { snapshotsCommand } from "./snapshots.ts";
import { statusCommand } from "./status.ts";
import { timeAdvanceCommand } from "./time-advance.ts";
import { timeSetCommand } from "./time-set.ts";
import { timeShowCommand } from "./time-show.ts";
import { uptimeGetCommand } from "./uptime-get.ts";
import { uptimeSetCommand } from "./uptime-set.ts";
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
  retraceCommand,
  forgetCommand,
  serveCommand,
  statusCommand,
  reindexCommand,
  copyCommand,
  verifyCommand,
  archiveExportCommand,
  archiveVerifyCommand,
  keysAddCommand,
  keysListCommand,
  keysRevokeCommand,
];
