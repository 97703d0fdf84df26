/** All commands; one is one file and one line here. */

import type { CommandDefinition } from "./command.ts";
import { importCommand } from "./import.ts";
import { keysAddCommand } from "./keys-add.ts";
import { keysListCommand } from "./keys-list.ts";
import { keysRevokeCommand } from "./keys-revoke.ts";
import { reindexCommand } from "./reindex.ts";
import { serveCommand } from "./serve.ts";
import { startCommand } from "./start.ts";
import { statusCommand } from "./status.ts";

export const commands: readonly CommandDefinition[] = [
  startCommand,
  importCommand,
  serveCommand,
  statusCommand,
  reindexCommand,
  keysAddCommand,
  keysListCommand,
  keysRevokeCommand,
];
