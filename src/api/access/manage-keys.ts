/** Creates and revokes API keys. Running servers notice changes automatically. */
import { randomBytes } from "node:crypto";
import { FirnError } from "../../base/errors/errors.ts";
import { type ApiKey, changeKeyFile, hashOfKey, readKeyFile } from "./key-file.ts";
import { KEY_TIERS, PRIVILEGES, type Privilege } from "./tiers.ts";

interface NewKey {
  /** by default the key's ID */
  readonly name?: string | undefined;
  readonly tier: string;
  readonly privileges: readonly string[];
}

const KEY_BYTES = 32;
const NAME = /^[A-Za-z0-9][A-Za-z0-9._@ -]{0,63}$/;
const ID = /^[0-9a-f]{8}$/;

/** The returned `key` is stored nowhere. */
export async function addKey(dataDirectory: string, wanted: NewKey): Promise<{ key: string; added: ApiKey }> {
  const key = `firn_${randomBytes(KEY_BYTES).toString("base64url")}`;
  const id = randomBytes(4).toString("hex");
  const { name = id } = wanted;
  const tier = KEY_TIERS.find((known) => known === wanted.tier);
  if (tier === undefined) throw new FirnError("config", `${wanted.tier} is not a tier; use ${KEY_TIERS.join(", ")}`);
  const privileges = wanted.privileges.map(parsePrivilege);
  if (!NAME.test(name) || (name !== id && ID.test(name))) {
    throw new FirnError(
      "config",
      `the name ${name} cannot be used; use up to 64 letters, digits, blanks and . _ - @, but not 8 hex digits, which are an ID`,
    );
  }
  let added: ApiKey | undefined;
  await changeKeyFile(dataDirectory, ({ salt, keys }) => {
    const holder = keys.find((held) => held.name === name && held.revokedAt === undefined);
    if (holder !== undefined) {
      throw new FirnError(
        "key-name-taken",
        `key ${holder.id} has the name ${name}; use another name, or first run: firn keys revoke ${holder.id}`,
      );
    }
    added = { id, name, tier, privileges, hash: hashOfKey(key, salt), createdAt: new Date().toISOString() };
    return [...keys, added];
  });
  return { key, added: added! };
}

function parsePrivilege(text: string): Privilege {
  const privilege = PRIVILEGES.find((known) => known === text);
  if (privilege === undefined) throw new FirnError("config", `${text} is not a privilege; use ${PRIVILEGES.join(" or ")}`);
  return privilege;
}

export function listKeys(dataDirectory: string): readonly ApiKey[] {
  return readKeyFile(dataDirectory).keys;
}

/** Revoked keys stay in the file, to tell them from unknown ones. */
export async function revokeKey(dataDirectory: string, nameOrId: string): Promise<ApiKey> {
  let revoked: ApiKey | undefined;
  await changeKeyFile(dataDirectory, ({ keys }) => {
    const named = keys.filter(({ id, name }) => id === nameOrId || name === nameOrId);
    const found = named.find(({ revokedAt }) => revokedAt === undefined);
    if (found === undefined) {
      const reason =
        named.length > 0 ? `the key ${nameOrId} is revoked already` : `there is no key ${nameOrId}; run firn keys list to see all keys`;
      throw new FirnError("key-unknown", reason);
    }
    revoked = { ...found, revokedAt: new Date().toISOString() };
    return keys.map((key) => (key === found ? revoked! : key));
  });
  return revoked!;
}
