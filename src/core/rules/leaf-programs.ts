/** Programs that read their arguments as text, files or numbers, and start no other program whatever these are. */
const LEAVES: ReadonlySet<string> = new Set(
  `[ base64 basename cat chmod chown cksum cmp comm cp cut date df diff dirname du echo egrep expand expr false fgrep fold
   grep head hostname id join jq kill link ln ls md5sum mkdir mv nl od paste printf pwd readlink realpath rev rm rmdir seq
   sha1sum sha256sum sha512sum shred sleep stat tac tail tee test touch tr tree true truncate tty uname uniq unlink wc
   which whoami`.split(/\s+/u),
);

/** Commands of git that start neither an editor, a hook, a transport nor an alias: an alias cannot hide one of git's own. */
const GIT_LEAVES: ReadonlySet<string> = new Set(['ls-files', 'mv', 'rev-parse', 'rm', 'status']);

/** The folders where the system keeps its programs: another path may be another program of that name. */
const SYSTEM_FOLDER = /^(?:\/usr)?\/bin\//u;

/**
 * True for a command that is known to run nothing but its own program. The list is of what is known to be harmless:
 * a list of what runs others is never complete, and what is missing here only asks.
 */
export function isLeaf([program = '', ...args]: readonly string[]): boolean {
  const name = program.replace(SYSTEM_FOLDER, '');
  switch (name) {
    case 'git':
      return GIT_LEAVES.has(args[0] ?? '');
    case 'find':
      return !args.some((word) => /^-(?:exec|ok|delete|f)/u.test(word));
    case 'sort': // `--compress-program`, and whatever it is shortened to.
      return !args.some((word) => word.startsWith('--'));
    default:
      return LEAVES.has(name);
  }
}
