import { realpath } from 'node:fs/promises';
import path from 'node:path';

import { foldName, nameTable } from './name-table.js';

/** Describes the usual content of sensitive files. */
export interface Holdings {
  of(file: string): string | undefined;
  /** Like `of`, but considers only the path below a folder. */
  below(folder: string, file: string): string | undefined;
}

/** Names of files that often contain keys. Reading such a file always asks, and folder searches skip it. */
export const sensitiveNames = nameTable([
  { names: '.env*', says: 'program passwords and keys' },
  {
    names: '.ssh/ id_* *.pem *.key *.ppk *.p12 *.pfx *.jks *.keystore *.kdbx .vault-token',
    says: 'private keys',
  },
  { names: '.gnupg/ .password-store/ keyrings/ keychains/', says: 'private keys and passwords' },
  {
    names: '.aws/ .azure/ .kube/ .docker/config.json .config/gcloud/ .terraform.d/ .boto .s3cfg *.tfstate',
    says: 'cloud service keys',
  },
  {
    names:
      '.netrc _netrc .npmrc .yarnrc.yml .pypirc .pgpass .my.cnf .git-credentials .htpasswd .cargo/credentials* ' +
      '.config/gh/ .config/hub .codex/auth.json .credentials.json oauth_creds.json credentials.json secrets.json secrets.yml secrets.yaml',
    says: 'passwords and tokens',
  },
  { names: '.git/config', says: 'server addresses, sometimes with a password' },
  { names: '.*_history', says: 'typed commands, sometimes with a password' },
  {
    names: '.mozilla/ .config/google-chrome/ .config/chromium/ cookies.sqlite login.keychain*',
    says: 'browser cookies and passwords',
  },
  {
    names: 'etc/shadow etc/shadow- etc/gshadow etc/gshadow- etc/sudoers',
    says: 'this machine’s passwords and permissions',
  },
]);

/** Combines the table of sensitive names with hitl's own folders. */
export async function holdingsOf(ownFolders: readonly string[] = []): Promise<Holdings> {
  const own = (await Promise.all(ownFolders.map(orItself))).map(foldName);
  const ownOf = (file: string): string | undefined =>
    own.some((folder) => isBelow(foldName(file), folder))
      ? 'hitl’s own sessions, settings and keys'
      : undefined;
  return {
    of: (file) => ownOf(file) ?? sensitiveNames.find(file),
    below: (folder, file) =>
      (ownOf(folder) === undefined ? ownOf(file) : undefined) ?? sensitiveNames.findBelow(folder, file),
  };
}

/** Whether the target is the folder itself or is anywhere below it. */
export function isBelow(target: string, folder: string): boolean {
  const relative = path.relative(folder, target);
  return relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);
}

/** Resolves a folder; returns a missing one unchanged. */
export async function orItself(folder: string): Promise<string> {
  return realpath(folder).catch(() => path.resolve(folder));
}
