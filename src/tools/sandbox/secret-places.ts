import path from 'node:path';

/** Folders and files of the home directory that hold keys, or what people did; relative to it. */
const OF_HOME: readonly string[] = [
  '.ssh',
  '.gnupg',
  '.aws',
  '.azure',
  '.kube',
  '.docker',
  '.password-store',
  '.netrc',
  '.npmrc',
  '.yarnrc.yml',
  '.pypirc',
  '.pgpass',
  '.my.cnf',
  '.git-credentials',
  '.vault-token',
  '.terraform.d',
  '.cargo/credentials',
  '.cargo/credentials.toml',
  '.gem/credentials',
  '.m2/settings.xml',
  '.gradle/gradle.properties',
  '.config/gcloud',
  '.config/gh',
  '.config/glab-cli',
  '.config/git/credentials',
  '.config/op',
  '.config/containers/auth.json',
  '.config/google-chrome',
  '.config/chromium',
  '.mozilla',
  '.local/share/keyrings',
  '.local/share/kwalletd',
  '.bash_history',
  '.zsh_history',
  '.local/share/fish/fish_history',
  '.node_repl_history',
  '.python_history',
  '.psql_history',
];

/** Of the machine: root could read them without any capability. */
const OF_SYSTEM: readonly string[] = [
  '/etc/shadow',
  '/etc/shadow-',
  '/etc/gshadow',
  '/etc/gshadow-',
  '/etc/sudoers',
  '/etc/sudoers.d',
  '/etc/ssl/private',
  '/etc/ssh/ssh_host_rsa_key',
  '/etc/ssh/ssh_host_ecdsa_key',
  '/etc/ssh/ssh_host_ed25519_key',
  '/root/.ssh',
  '/sys/kernel/debug',
  '/sys/kernel/tracing',
  '/sys/firmware/efi/efivars',
];

/** Variables that name a file or a folder with keys. */
const NAMED_BY: readonly string[] = [
  'GNUPGHOME',
  'DOCKER_CONFIG',
  'KUBECONFIG',
  'CLOUDSDK_CONFIG',
  'AWS_SHARED_CREDENTIALS_FILE',
  'AWS_CONFIG_FILE',
  'GOOGLE_APPLICATION_CREDENTIALS',
  'NETRC',
  'NPM_CONFIG_USERCONFIG',
  'PGPASSFILE',
  'SSH_AUTH_SOCK',
];

/** Absolute paths at which keys are kept, whether there is something or not. */
export function secretPlaces(home: string, env: Readonly<Record<string, string | undefined>>): string[] {
  const named = NAMED_BY.flatMap((name) => (env[name] ?? '').split(path.delimiter));
  return [
    ...OF_HOME.map((place) => path.join(home, place)),
    ...OF_SYSTEM,
    ...named.filter((place) => path.isAbsolute(place)),
  ];
}
