/** The beginning of the address of a server. */
export const SERVER = /^postgres(?:ql)?:\/\//;
/** The beginning of the address of a database in this process. */
export const FOLDER = 'pglite:';

/** The address as it may be shown: without password and settings. */
export function shownAddress(address: string): string {
  if (address.startsWith(FOLDER)) return address;
  if (!URL.canParse(address)) return 'postgres://…';
  const { hostname, port, pathname, username } = new URL(address);
  const user = username === '' ? '' : `${username}@`;
  return `postgres://${user}${hostname}${port === '' ? '' : `:${port}`}${pathname}`;
}
