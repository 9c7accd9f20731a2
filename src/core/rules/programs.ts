/** Programs that are whatever their arguments are: no rule about their first words is offered. */
const WIDE: ReadonlySet<string> = new Set(
  `rm dd shred mkfs chmod chown kill sudo su doas pkexec sh bash zsh dash fish ksh csh busybox env xargs nohup setsid
   setpriv timeout nice flock ssh scp rsync curl wget nc socat eval exec source python python2 python3 perl ruby php lua
   node deno bun npx tsx awk gawk sed find tar docker podman kubectl`.split(/\s+/u),
);

/** Subcommands that run what comes next: the words go one further. */
const RUNNING: ReadonlySet<string> = new Set(['run', 'run-script', 'exec', 'x', 'dlx']);

/**
 * The first words of a command that a rule about commands like it names: its program, its subcommand, and what that
 * runs. `undefined` for programs that no first words tell anything about.
 */
export function firstWords([program, second, third]: readonly string[]): readonly string[] | undefined {
  if (program === undefined) return undefined;
  const name = program.slice(program.lastIndexOf('/') + 1);
  if (WIDE.has(name.toLowerCase())) return undefined;
  if (second === undefined || !/^[a-z][a-z-]*$/u.test(second)) return [program];
  if (!RUNNING.has(second)) return [program, second];
  return third !== undefined && /^[A-Za-z0-9]/u.test(third) ? [program, second, third] : undefined;
}

/** The reason in short why no rule about first words is offered. */
export const NEVER_BY_WORDS = 'rm, sudo, interpreters, > redirects, | pipes, the network';

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
