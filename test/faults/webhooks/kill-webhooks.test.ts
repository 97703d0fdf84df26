import { expect, test } from "vitest";
import { SEED, sized } from "../../share.ts";
import { scratchDirectory } from "../../store/scratch.ts";
import { killWebhooks } from "./kill-webhooks.ts";

test("each payment is told of, in order, however often the devnet and the receiver are killed", async () => {
  const { payments, received } = await killWebhooks({
    dataDirectory: scratchDirectory(),
    kills: sized({ whole: 6, share: 2 }),
    seed: SEED,
  });
  expect(payments).toBeGreaterThan(0);
  expect(received).toBeGreaterThanOrEqual(payments);
});
