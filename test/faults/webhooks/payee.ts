/** Whose payments the webhook tells of. */
import { formatAddress } from "../../../src/base/bytes/address.ts";
import { key } from "../../chains/asset/wallet.ts";

/** hex */
export const PAYEE = key("payee of a webhook").address;
export const PAYEE_TEXT = formatAddress("P", "local", PAYEE);
