// Invariants:
// K1 Logins stand in a file beside the configuration that its owner alone may read, and nowhere else.
// K2 What cannot be read, or what others could have read or written, is no login.
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { JsonObject } from '../../src/core/index.js';
import { isJsonObject } from '../../src/core/index.js';
import type { Login, Logins } from '../../src/tools/mcp/index.js';
import type { Io } from '../host/index.js';
import { configFolder, replaceFile } from '../host/index.js';
import { ownText } from '../trust/trust-store.js';

const OF_OTHERS = 0o077;

/** The user's saved logins to servers. */
export interface KeptLogins extends Logins {
  /** Deletes a login. Returns false if there was none. */
  forget(address: string): Promise<boolean>;
}

/** Opens the store of the user's logins, which is a file. */
export function keptLogins(io: Pick<Io, 'env' | 'home'>): KeptLogins {
  const path = join(configFolder(io), 'mcp-logins.json');
  const write = async (logins: JsonObject): Promise<void> => {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await replaceFile(path, `${JSON.stringify({ version: 1, logins }, null, 2)}\n`); // K1
  };
  return {
    async read(address) {
      return loginOf((await documentAt(path))[address]);
    },
    async write(address, login) {
      await write({ ...(await documentAt(path)), [address]: jsonOf(login) });
    },
    async forget(address) {
      const { [address]: gone, ...rest } = await documentAt(path);
      if (gone === undefined) return false;
      await write(rest);
      return true;
    },
  };
}

function jsonOf(login: Login): JsonObject {
  const read: unknown = JSON.parse(JSON.stringify(login));
  return isJsonObject(read) ? read : {};
}

async function documentAt(path: string): Promise<JsonObject> {
  try {
    const read: unknown = JSON.parse(await ownText(path, OF_OTHERS));
    const logins = isJsonObject(read) ? read['logins'] : undefined;
    return logins !== undefined && isJsonObject(logins) ? logins : {};
  } catch {
    return {}; // K2
  }
}

/** Reads a login. Returns `undefined` if the format is not one that hitl writes (K2). */
function loginOf(value: JsonObject[string] | undefined): Login | undefined {
  if (value === undefined || !isJsonObject(value)) return undefined;
  const { redirect, client, tokens, discovered } = value;
  if (typeof redirect !== 'string') return undefined;
  return {
    redirect,
    ...(isClient(client) && { client }),
    ...(isTokens(tokens) && { tokens }),
    ...(isDiscovered(discovered) && { discovered }),
  };
}

type Json = JsonObject[string] | undefined;

function isClient(value: Json): value is JsonObject & NonNullable<Login['client']> {
  return value !== undefined && isJsonObject(value) && typeof value['client_id'] === 'string';
}

function isDiscovered(value: Json): value is JsonObject & NonNullable<Login['discovered']> {
  if (value === undefined || !isJsonObject(value)) return false;
  const { authorizationServerUrl, authorizationServerMetadata: metadata } = value;
  return (
    typeof authorizationServerUrl === 'string' &&
    (metadata === undefined || (isJsonObject(metadata) && typeof metadata['token_endpoint'] === 'string'))
  );
}

function isTokens(value: Json): value is JsonObject & NonNullable<Login['tokens']> {
  return (
    value !== undefined &&
    isJsonObject(value) &&
    typeof value['access_token'] === 'string' &&
    typeof value['token_type'] === 'string'
  );
}
