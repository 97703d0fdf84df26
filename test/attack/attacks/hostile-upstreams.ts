/**
 * Attacks by the node that `firn follow` reads from. During the attack all others must be served, and afterwards indexing must continue.
 */
import type { Attack } from "../attack.ts";
import type { UpstreamMode } from "../hostile-upstream.ts";

function upstreamAttack(name: string, upstream: UpstreamMode, does: string, mustStayOnCourse = false): Attack {
  return { name, does, targets: ["follow"], upstream, mustStayOnCourse, run: (attacker) => attacker.wait() };
}

export const hostileUpstreams: readonly Attack[] = [
  upstreamAttack("upstream-large-answers", "largeAnswers", "the node answers everything with 250 MB of JSON"),
  upstreamAttack("upstream-endless-answers", "endlessAnswers", "the node's answers never end"),
  upstreamAttack("upstream-dripping-answers", "drippingAnswers", "the node answers a byte at a time"),
  upstreamAttack("upstream-gzip-bombs", "gzipBombs", "the node answers with 250 MB that are packed into little"),
  upstreamAttack("upstream-deep-json", "deepJson", "the node answers with JSON that is 5 million levels deep"),
  upstreamAttack("upstream-silence", "silence", "the node takes every request and answers none"),
  upstreamAttack("upstream-redirects", "redirects", "the node sends whoever asks elsewhere, and there again"),
  upstreamAttack("upstream-large-headers", "largeHeaders", "the node answers with 2 MB of headers"),
  upstreamAttack("chain-dear-traces", "dearTraces", "a cheap transaction of each block makes a call trace of 320 MB", true),
  upstreamAttack("chain-failing-traces", "failingTraces", "no transaction of the chain can be traced", true),
];
