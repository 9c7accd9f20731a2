import { join } from 'node:path';
import type { JsonObject } from '../src/core/index.js';
import { HitlError, isMcpServerName, meantHint, nearNames } from '../src/core/index.js';
import { changeConfig, toldChange } from './config/write-config.js';
import { loadConfig } from './config/config-file.js';
import type { CommonFlags } from './flags/options.js';
import type { Io } from './host/index.js';
import { configFolder } from './host/index.js';
import { absoluteWords, followed, guardedFolder, liesIn } from '../src/programs/index.js';
import { serverLabel } from './mcp/consent.js';
import { keepTrust } from './trust/trust.js';
import { lookedAt } from './trust/unseen.js';
import { withValue, withoutValue } from './config/edit-document.js';

interface AddFlags extends CommonFlags {
  readonly env?: readonly string[];
  readonly header?: readonly string[];
}

const HOW = 'hitl mcp add files -- npx -y @modelcontextprotocol/server-filesystem .';

/**
 * `hitl mcp add`: adds a server to the user's configuration, either a command with arguments or a URL.
 * @throws HitlError USAGE for an invalid name, BAD_CONFIG, SAVE_FAILED.
 */
export async function addServer(
  io: Io,
  named: string,
  typed: readonly string[],
  flags: AddFlags,
): Promise<number> {
  if (!isMcpServerName(named))
    throw new HitlError('USAGE', `invalid server name \`${named}\``, {
      hint: 'a name has 1 to 32 letters, digits, `-` or single `_`',
    });
  // Relative words mean what they mean here, and nothing in the folder of a later session.
  const given = isAddress(typed[0]) ? typed : absoluteWords(typed, io.cwd);
  const entry = entryOf(given, flags);
  const path = join(configFolder(io), 'config.json');
  const isChanged = await changeConfig(io, path, (before) => withValue(before, ['mcpServers', named], entry));
  const guarded = guardedFolder(io);
  const looked = lookedAt(io, serverLabel(named), followed({ words: given, guarded }));
  const files = looked.trusted.filter((one) => liesIn(one.path, guarded) || !looked.files.includes(one));
  if (files.length > 0) await keepTrust(io, files); // who names it agrees to it as it is
  return toldChange(io, flags, { name: named, file: path, changed: isChanged }, [
    `${isChanged ? 'added' : 'already set'}: ${named} (${path})`,
    `hint: hitl mcp test ${named}`,
  ]);
}

/**
 * `hitl mcp remove`: removes a server from the user's configuration. @throws HitlError USAGE if it is not
 * configured.
 */
export async function removeServer(io: Io, named: string, flags: CommonFlags): Promise<number> {
  const { config, path } = loadConfig(io);
  const names = Object.keys(config.mcpServers ?? {});
  if (!names.includes(named))
    throw new HitlError('USAGE', `no server \`${named}\` found in \`${path}\``, {
      hint: meantHint(nearNames(named, names), 'see hitl mcp list'),
    });
  await changeConfig(io, path, (before) => withoutValue(before, ['mcpServers', named]));
  const document = { name: named, file: path, changed: true };
  return toldChange(io, flags, document, [`removed: ${named} (${path})`]);
}

function entryOf([first, ...more]: readonly string[], { env, header }: AddFlags): JsonObject {
  if (first === undefined) throw new HitlError('USAGE', 'a server must be a command or a URL', { hint: HOW });
  if (isAddress(first)) {
    if (more.length > 0 || env !== undefined)
      throw new HitlError('USAGE', 'a URL cannot have arguments or environment variables', { hint: HOW });
    return { url: first, ...(header && { headers: pairs(header, ':', '--header') }) };
  }
  if (header !== undefined) throw new HitlError('USAGE', '`--header` requires a URL', { hint: HOW });
  return {
    command: first,
    ...(more.length > 0 && { args: more }),
    ...(env && { env: pairs(env, '=', '--env') }),
  };
}

function isAddress(word: string | undefined): boolean {
  return word !== undefined && /^https?:\/\//u.test(word);
}

function pairs(texts: readonly string[], sign: string, flag: string): JsonObject {
  return Object.fromEntries(
    texts.map((text) => {
      const at = text.indexOf(sign);
      if (at > 0) return [text.slice(0, at).trim(), text.slice(at + 1).trim()];
      throw new HitlError('USAGE', `\`${flag}\` requires a name, \`${sign}\` and a value, got \`${text}\``, {
        hint: sign === '=' ? '--env SHOP_KEY=${SHOP_KEY}' : "--header 'Authorization: Bearer ${SHOP_KEY}'",
      });
    }),
  );
}
