import type { Attack } from "../attack.ts";

export const ownPages: Attack = {
  name: "own-pages",
  does: "asks for metrics, health, the OpenAPI document and its pages without an end",
  targets: ["serve", "devnet", "follow"],
  async run(attacker) {
    const paths = [
      "/ext/metrics",
      "/ext/health",
      "/v1/openapi.json",
      "/docs",
      "/docs/static/swagger-ui-bundle.js",
      "/ext/health/readiness",
      "/v1/health-check",
    ];
    await attacker.again(24, (turn) => attacker.ask({ path: paths[turn % paths.length]! }));
  },
};
