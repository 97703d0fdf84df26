/** Real faults of a serving node and their repair, as operators see them over HTTP. */
import { renameSync } from "node:fs";
import { join } from "node:path";
import pino from "pino";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Serving, serve } from "../../src/serve/serve.ts";
import { importUntil } from "../conformance/checkpoints.ts";
import { recordingFolder } from "../conformance/recordings.ts";
import { eventually } from "../patience.ts";
import { scratchDirectory } from "../store/scratch.ts";

interface Check {
  readonly error?: string;
  readonly contiguousFailures?: number;
  readonly timeOfFirstFailure?: string;
}

interface Health {
  readonly status: number;
  readonly checks: Readonly<Record<string, Check>>;
}

let directory: string;
let serving: Serving;

beforeEach(async () => {
  directory = scratchDirectory();
  await importUntil(recordingFolder("x-dag"), directory, {}, "replay");
  serving = await serve({
    dataDirectory: directory,
    httpHost: "127.0.0.1",
    httpPort: 0,
    allowedHosts: ["localhost"],
    isPublic: false,
    workers: 1,
    healthCheckFrequencyMs: 20,
    log: pino({ level: "silent" }),
  });
});
afterEach(() => serving.stop());

async function health(path = "/ext/health"): Promise<Health> {
  const response = await fetch(serving.url + path);
  const { checks, healthy } = (await response.json()) as { checks: Health["checks"]; healthy: boolean };
  expect(healthy).toBe(response.status === 200);
  return { status: response.status, checks };
}

function until(isThere: (report: Health) => boolean): Promise<Health> {
  return eventually(async () => {
    const report = await health();
    return isThere(report) && report;
  });
}

/** Waits for the red check, sees its failures counted from the first one, mends, and waits for green. */
async function expectRedUntilMended(name: string, text: string | RegExp, mend: () => void | Promise<void>): Promise<void> {
  const first = await until(({ status }) => status === 503);
  expect(first.checks[name]!.error).toMatch(text);
  const later = await until(({ checks }) => checks[name]!.contiguousFailures! > first.checks[name]!.contiguousFailures! + 1);
  expect(later.checks[name]!.timeOfFirstFailure).toBe(first.checks[name]!.timeOfFirstFailure);
  expect((await fetch(`${serving.url}/ext/health/liveness`)).status).toBe(200);
  await mend();
  const green = await until(({ status }) => status === 200);
  expect(green.checks[name]).not.toHaveProperty("error");
  expect(green.checks[name]).not.toHaveProperty("contiguousFailures");
  expect(green.checks[name]).not.toHaveProperty("timeOfFirstFailure");
}

describe("health", () => {
  test("is red while the store is gone, and green when it is back", async () => {
    expect((await health()).status).toBe(200);
    const [here, elsewhere] = [join(directory, "store"), join(directory, "elsewhere")];
    renameSync(here, elsewhere);
    await expectRedUntilMended("database", /directory cannot be read/, () => renameSync(elsewhere, here));
  });
});
