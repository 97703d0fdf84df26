/** All commands; one is one file and one line here. */

import type { CommandDefinition } from "./command.ts";
import { importCommand } from "./import.ts";
import { reindexCommand } from "./reindex.ts";
import { serveCommand } from "./serve.ts";
import { startCommand } from "./start.ts";
import { statusCommand } from "./status.ts";

export const commands: readonly CommandDefinition[] = [startCommand, importCommand, serveCommand, statusCommand, reindexCommand];
