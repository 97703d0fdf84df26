/** All tables of webhooks, for code that handles every row. */
import type { Table } from "../base/table/table.ts";
import * as tables from "./webhook-tables.ts";

export const webhookTableList: readonly Table[] = Object.values(tables) as readonly Table[];
