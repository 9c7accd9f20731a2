import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

import type { World } from './world.js';
import { processesNamed } from './world.js';

/** What an attempt came to. */
export interface Attempt {
  readonly output: string;
  readonly notes: readonly string[];
}

/** A way out of a sandbox. */
export interface Escape {
  readonly title: string;
  /** Text for bash. */
  script(world: World): string;
  /** Looks whether it got out. */
  gotOut(world: World, attempt: Attempt): boolean | Promise<boolean>;
  /** It would do harm where it works, or does nothing without a sandbox: it is not tried without one. */
  readonly onlyInside?: true;
  /** The machine whose numbers of system calls it uses. */
  readonly needs?: 'x64';
  /** Only root could do it without a sandbox. */
  readonly asRoot?: true;
}

const changed = ({ outside }: World) =>
  readFileSync(path.join(outside, 'precious'), 'utf8') !== 'precious' ||
  existsSync(path.join(outside, 'new'));
const saw =
  (text: string | ((world: World) => string)) =>
  (world: World, { output }: Attempt) =>
    output.includes(typeof text === 'string' ? text : text(world));
const sawSecret = saw(({ token }) => token);
const wasHeard = ({ heard }: World) => heard.length > 0;
const stillRuns = async ({ token }: World) => (await processesNamed(sleepOf(token))).length > 0;
/** No number of seconds is asked for twice. */
const sleepOf = (token: string) => `1000.${parseInt(token.slice(0, 8), 16)}`;
const inProject = (world: World, name: string) => path.join(world.project, name);
const connect = (where: string) =>
  `node -e "require('net').connect(${where}).on('error', () => {}).on('connect', () => console.log('open'))"`;
/** Opens what is there to write and writes nothing, so that it does no harm where it works. */
const opens = (files: string, kind = '-f') =>
  `for file in ${files}; do [ ${kind} "$file" ] && { : >> "$file"; } 2>/dev/null && echo "opened $file"; done`;
const perl = (code: string) => `perl -e '${code}'`;

/** The numbers are those of the list of tests. */
export const ESCAPES: readonly Escape[] = [
  {
    title: 'writes to a path outside',
    script: ({ outside }) => `echo x > "${outside}/precious"`,
    gotOut: changed,
  },
  { title: 'writes through a link of the folder', script: () => 'echo x > link/precious', gotOut: changed },
  {
    title: 'writes through a link that it made',
    script: ({ outside }) => `ln -s "${outside}" own; echo x > own/new`,
    gotOut: changed,
  },
  {
    title: 'writes through a second name of a file outside',
    script: ({ outside }) => `ln "${outside}/precious" second; echo x > second`,
    gotOut: changed,
  },
  {
    title: 'writes through the working directory of /proc',
    script: () => 'echo x > /proc/self/cwd/../outside/new',
    gotOut: changed,
  },
  {
    title: 'writes through an open file of /proc',
    script: ({ outside }) => `exec 7< "${outside}/precious"; echo x > /proc/self/fd/7`,
    gotOut: changed,
  },
  {
    title: 'writes through the root of a process',
    script: ({ outside }) => `for of in 1 self; do echo x > "/proc/$of/root${outside}/new"; done`,
    gotOut: changed,
  },
  {
    title: 'renames, removes or changes the mode of a file outside',
    script: ({ outside }) =>
      `mv "${outside}/precious" "${outside}/new"; rm -f "${outside}/precious"; chmod 777 "${outside}/precious"`,
    gotOut: (world) => !existsSync(path.join(world.outside, 'precious')),
  },
  {
    title: 'writes through the temporary folder of the person, or a link in its own',
    script: ({ outside }) =>
      `ln -s "${outside}" /tmp/own-$$; echo x > "$TMPDIR/new"; echo x > /tmp/own-$$/new; rm /tmp/own-$$`,
    gotOut: changed,
  },
  {
    title: 'leaves a file in the shared memory',
    script: ({ token }) => `echo x > /dev/shm/${token}`,
    gotOut: ({ token }) => existsSync(`/dev/shm/${token}`),
  },
  {
    title: 'talks to a server by TCP',
    script: ({ ports }) => connect(`${ports.tcp}, '127.0.0.1'`),
    gotOut: wasHeard,
  },
  {
    title: 'talks to a server by UDP',
    script: ({ ports }) => `echo x > /dev/udp/127.0.0.1/${ports.udp}; sleep 0.1`,
    gotOut: wasHeard,
  },
  {
    title: 'talks to a socket that has a path',
    script: ({ sockets }) => connect(`'${sockets.outside}'`),
    gotOut: wasHeard,
  },
  {
    title: 'talks to a socket in the temporary folder',
    script: ({ sockets }) => connect(`'${sockets.temporary}'`),
    gotOut: wasHeard,
  },
  {
    title: 'talks to an abstract socket',
    script: ({ sockets }) => connect(`'\\0' + '${sockets.abstract.slice(1)}'`),
    gotOut: wasHeard,
  },
  {
    title: 'sees what runs outside',
    script: () => `cat /proc/*/cmdline 2>/dev/null | tr '\\0' ' '`,
    gotOut: saw('vitest'),
  },
  {
    title: 'reads the environment of a process outside',
    script: () => `cat /proc/*/environ 2>/dev/null | tr '\\0' '\\n'`,
    gotOut: sawSecret,
  },
  {
    title: 'ends a process outside',
    script: ({ victim }) => `kill -9 ${victim.pid!}; sleep 0.1`,
    gotOut: ({ victim }) => victim.signalCode !== null,
  },
  {
    title: 'traces a process outside, or the first one inside',
    needs: 'x64',
    // PTRACE_SEIZE, by its number on x86_64. One inside that has no capability either is no way out.
    script: ({ victim }) => `first=1; grep -q '^CapEff:.*[1-9a-f]' /proc/1/status || first=
      perl -e 'for (@ARGV) { print "seized $_\\n" if syscall(101, 0x4206, $_ + 0, 0, 0) == 0 }' ${victim.pid!} $first`,
    gotOut: saw('seized'),
  },
  {
    title: 'stays behind in a session of its own',
    script: ({ token }) => `setsid sleep ${sleepOf(token)} > /dev/null 2>&1 & sleep 0.1`,
    gotOut: stillRuns,
  },
  {
    title: 'stays behind after two forks, deaf to signals',
    script: ({ token }) =>
      `(trap '' HUP TERM INT; (setsid nohup sleep ${sleepOf(token)} > /dev/null 2>&1 &) &); sleep 0.1`,
    gotOut: stillRuns,
  },
  {
    title: 'reads keys of the home directory',
    script: ({ home }) => `cat "${home}/.ssh"/* "${home}/.aws/credentials" 2>/dev/null`,
    gotOut: sawSecret,
  },
  {
    title: 'reads or writes what the program keeps',
    script: ({ state }) =>
      `cat "${state}/sessions/s1/journal.jsonl"; echo x > "${state}/sessions/s1/inbox.jsonl"`,
    gotOut: (world, attempt) =>
      sawSecret(world, attempt) || existsSync(path.join(world.state, 'sessions/s1/inbox.jsonl')),
  },
  {
    title: 'uncovers what the program keeps by moving the folder above it',
    script: () =>
      'cat kept/state/trust.json; mv kept moved; mkdir -p kept/state; echo x > kept/state/trust.json; cat */*/*.json',
    gotOut: (world, attempt) =>
      sawSecret(world, attempt) ||
      !existsSync(inProject(world, 'kept')) ||
      existsSync(inProject(world, 'moved')),
  },
  {
    title: 'leaves a hook, also in another repository put in its place',
    script: () =>
      'echo x > .git/hooks/pre-commit; mv .git moved; cp -r moved .git; mkdir -p .git/hooks; echo x > .git/hooks/pre-commit',
    gotOut: (world) =>
      existsSync(inProject(world, '.git/hooks/pre-commit')) || existsSync(inProject(world, 'moved')),
  },
  {
    title: 'changes the configuration of the repository, or where it is',
    script: () =>
      'git config core.fsmonitor ./evil; echo "[core] fsmonitor = ./evil" > new; mv new .git/config; mkdir elsewhere; cp .git/config elsewhere; echo ../elsewhere > .git/commondir',
    gotOut: (world) =>
      readFileSync(inProject(world, '.git/config'), 'utf8').includes('evil') ||
      existsSync(inProject(world, '.git/commondir')),
  },
  {
    title: 'changes the configuration of the program, or a module that is trusted',
    script: () =>
      'for file in hitl.config.json tools/trusted.mjs; do echo evil > $file; rm -f $file; echo evil > new; mv new $file; done',
    gotOut: (world) =>
      ['hitl.config.json', 'tools/trusted.mjs'].some((name) =>
        readFileSync(inProject(world, name), 'utf8').includes('evil'),
      ),
  },
  {
    title: 'mounts, remounts, unmounts',
    script: ({ outside, state }) =>
      `mount -o remount,rw,bind /; mount -t tmpfs tmpfs /mnt && echo mounted; umount "${state}"; umount .git/hooks; umount -l /proc/sys; echo x > "${outside}/new"; cat "${state}/sessions/s1/journal.jsonl"; echo x > .git/hooks/x`,
    gotOut: (world, attempt) =>
      changed(world) ||
      saw('mounted\n')(world, attempt) ||
      sawSecret(world, attempt) ||
      existsSync(inProject(world, '.git/hooks/x')),
    onlyInside: true,
  },
  {
    title: 'makes namespaces of its own and mounts in them',
    script: ({ outside, state }) =>
      `unshare --user --map-root-user --mount sh -c 'mount -o remount,rw,bind /; umount "${state}"; echo x > "${outside}/new"; cat "${state}/sessions/s1/journal.jsonl"'`,
    gotOut: (world, attempt) => changed(world) || sawSecret(world, attempt),
    onlyInside: true,
  },
  {
    title: 'enters the namespaces of another process',
    script: ({ victim, outside }) =>
      `for pid in ${victim.pid!} 1; do nsenter --target $pid --all sh -c 'echo entered; echo x > "${outside}/new"'; done`,
    gotOut: (world, attempt) => changed(world) || saw('entered')(world, attempt),
    onlyInside: true,
  },
  {
    title: 'changes its root, makes devices',
    script: () =>
      `mkdir -p root; chroot root / ; perl -e 'print "chrooted\\n" if chroot("root")'; mknod disk b 8 0 && echo made; mknod memory c 1 1 && echo made`,
    gotOut: (world, attempt) => saw('chrooted')(world, attempt) || saw('made')(world, attempt),
    onlyInside: true,
  },
  {
    title: 'opens memory, disks and other devices',
    script: () =>
      ['-c', '-b']
        .map((kind) => opens('/dev/mem /dev/port /dev/kmsg /dev/[hsv]d* /dev/nvme* /dev/vcs*', kind))
        .join('; '),
    gotOut: saw('opened'),
    asRoot: true,
  },
  {
    title: 'types into a terminal, or draws on it',
    // TIOCSTI.
    script: () =>
      `ls /dev/pts | grep '[0-9]'; ${perl('if (open(my $t, "+<", "/dev/tty")) { print "typed\\n" if ioctl($t, 0x5412, "x") }')}`,
    gotOut: (_, { output }) => /^\d+$|typed/m.test(output),
    onlyInside: true,
  },
  {
    title: 'changes control groups',
    script: () =>
      opens(
        '$(find /sys/fs/cgroup -name cgroup.procs -o -name release_agent -o -name tasks -o -name devices.allow | head -50)',
      ),
    gotOut: saw('opened'),
    asRoot: true,
  },
  {
    title: 'changes settings of the kernel',
    script: () =>
      opens(
        '/proc/sys/kernel/core_pattern /proc/sys/kernel/modprobe /proc/sys/vm/drop_caches /proc/sysrq-trigger',
      ),
    gotOut: saw('opened'),
    asRoot: true,
  },
  {
    title: 'keeps or gains a capability',
    script: () =>
      'grep -E "^(CapInh|CapPrm|CapEff|CapAmb|NoNewPrivs)" /proc/self/status; mkdir -p root; chown 12345 root && echo gave',
    gotOut: (_, { output }) =>
      output.includes('gave') || !/NoNewPrivs:\s+1/.test(output) || /Cap\w+:\s+0*[1-9a-f]/.test(output),
    asRoot: true,
  },
  {
    title: 'reads the passwords of the machine',
    script: () => 'cat /etc/shadow /etc/shadow-',
    gotOut: saw('root:'),
    asRoot: true,
  },
  {
    title: 'finds a library or a script to load in its environment, or an open file',
    script: () => 'env; ls -l /proc/self/fd /proc/$$/fd',
    gotOut: (world, { output }) => /LD_PRELOAD|BASH_ENV/.test(output) || output.includes(world.outside),
    onlyInside: true,
  },
  {
    title: 'goes out by a folder that the program, or what holds the sandbox, has open',
    script: () =>
      'for open in /proc/[0-9]*/fd/*; do (cd "$open/.." && cd outside && echo x > new) 2>/dev/null; done',
    gotOut: changed,
    onlyInside: true,
  },
];
