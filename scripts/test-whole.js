/**
 * `npm run test:whole`: all of the tests of which `npm test` does a share, in the files that `test/whole.ts` lists with what only this covers.
 * Ends with one line, `N passed, N failed`, and exits 0 only if nothing failed.
 */
import { WHOLE } from "../test/whole.ts";
import { end, install, tests } from "./checks.js";

install();
process.env.FIRN_TEST_WHOLE = "1";
tests(...Object.keys(WHOLE));
end();
