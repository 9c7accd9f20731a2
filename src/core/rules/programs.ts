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
