import { nameTable } from './name-table.js';

/**
 * The names of files that often hold keys: always asked about before they are read, and left out where folders are gone
 * through.
 */
export const sensitiveNames = nameTable([
  { names: '.env*', says: 'passwords and keys of programs' },
  {
    names: '.ssh/ id_* *.pem *.key *.ppk *.p12 *.pfx *.jks *.keystore *.kdbx .vault-token',
    says: 'private keys',
  },
  { names: '.gnupg/ .password-store/ keyrings/ keychains/', says: 'private keys and passwords' },
  {
    names: '.aws/ .azure/ .kube/ .docker/config.json .config/gcloud/ .terraform.d/ .boto .s3cfg *.tfstate',
    says: 'keys of cloud services',
  },
  {
    names:
      '.netrc _netrc .npmrc .yarnrc.yml .pypirc .pgpass .my.cnf .git-credentials .htpasswd .cargo/credentials* ' +
      '.config/gh/ .config/hub credentials.json secrets.json secrets.yml secrets.yaml',
    says: 'passwords and tokens',
  },
  { names: '.git/config', says: 'addresses of servers, at times with a password' },
  { names: '.*_history', says: 'commands that were typed, at times with a password' },
  {
    names: '.mozilla/ .config/google-chrome/ .config/chromium/ cookies.sqlite login.keychain*',
    says: 'cookies and passwords of a browser',
  },
  {
    names: 'etc/shadow etc/shadow- etc/gshadow etc/gshadow- etc/sudoers',
    says: 'passwords and rights of this machine',
  },
]);
