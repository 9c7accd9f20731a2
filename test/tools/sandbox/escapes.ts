import { existsSync, lstatSync, readFileSync } from 'node:fs';
import path from 'node:path';

import type { Wanted, World } from './world.js';
import { KEYS, processesNamed } from './world.js';

/** What an attempt came to. */
export interface Attempt {
  readonly output: string;
  readonly notes: readonly string[];
}

/** A way out of a sandbox. */
export interface Escape extends Wanted {
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
/** Waits for what only another program can make. */
const until = (condition: string) => `for i in $(seq 60); do ${condition} && break; sleep 0.05; done`;
const reads = (...names: readonly string[]) => `cat ${names.join(' ')} 2>/dev/null`;
/** Tries all ways to have another content at a path. */
const replaces = (name: string) =>
  `echo evil > ${name}; ln ${name} second && echo evil > second; rm -rf ${name}; echo evil > new; mv new ${name}; sed -i s/was/evil/ ${name}; ln -sf /tmp/x ${name}`;
const isAsItWas = (world: World, name: string) =>
  existsSync(inProject(world, name)) && readFileSync(inProject(world, name), 'utf8') === 'as it was';
/** Something of the working directory is not as it was. */
const isChangedHere = (world: World) =>
  !isAsItWas(world, 'AGENTS.md') ||
  !isAsItWas(world, 'scripts/deep/notify.sh') ||
  ['made', 'moved', 'copy'].some((name) => existsSync(inProject(world, name)));
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
  {
    title: 'talks to a socket that began after it',
    withListener: true,
    script: ({ listener }) => `touch go; ${until('[ -e ready ]')}; ${connect(`'${listener}/late.socket'`)}`,
    gotOut: wasHeard,
  },
  {
    title: 'talks to a socket that was bound by a relative name',
    withListener: true,
    script: ({ listener }) => connect(`'${listener}/relative.socket'`),
    gotOut: wasHeard,
  },
  {
    title: 'talks to an abstract socket that began after it',
    withListener: true,
    script: ({ listener }) =>
      `touch go; ${until('[ -e ready ]')}; ${connect(`'\\0late' + '${listener.slice(-40)}'`)}`,
    gotOut: wasHeard,
  },
  {
    title: 'talks to a socket through the working directory of its program',
    withListener: true,
    script: ({ listener, victim }) =>
      `cd "${listener}" && ${connect("'relative.socket'")}; ${connect(`'/proc/${victim.pid!}/root${listener}/relative.socket'`)}`,
    gotOut: wasHeard,
  },
  {
    title: 'talks to a socket that stood in the working directory before it',
    withListener: true,
    script: ({ sockets }) => connect(`'${sockets.here}'`),
    gotOut: wasHeard,
  },
  {
    title: 'finds sockets of the system',
    script: () =>
      // Those of the working folder itself are the command's own, wherever that lies. The whole disk may take long.
      `find /run /tmp /var -path "$PWD" -prune -o -type s -print 2>/dev/null | sed 's/^/socket /'; find / -xdev -type s 2>/dev/null`,
    gotOut: saw('socket /'),
  },
  {
    title: 'reads keys of agents, clouds, hosts of code and shells',
    script: ({ home }) => reads(...KEYS.map((name) => `"${home}/${name}"`)),
    gotOut: sawSecret,
  },
  {
    title: 'looks through the whole home directory',
    script: ({ home }) => `grep -r . "${home}" ~ 2>/dev/null; ls -A "${home}/.local/share"`,
    gotOut: (world, attempt) => sawSecret(world, attempt) || saw('app')(world, attempt),
  },
  {
    title: 'changes what a shell of the person runs',
    script: ({ home }) => `echo evil >> "${home}/.bashrc"; rm -f "${home}/.bashrc"; echo evil >> ~/.bashrc`,
    gotOut: ({ home }) =>
      !existsSync(path.join(home, '.bashrc')) ||
      readFileSync(path.join(home, '.bashrc'), 'utf8') !== '# as it was',
  },
  {
    title: 'changes a program of the search path, or adds one',
    script: ({ programs }) =>
      `echo evil > "${programs}/tool"; echo evil > "${programs}/git"; mv "${programs}" /tmp/programs`,
    gotOut: ({ programs }) =>
      existsSync(path.join(programs, 'git')) ||
      !existsSync(path.join(programs, 'tool')) ||
      !readFileSync(path.join(programs, 'tool'), 'utf8').includes('as it was'),
  },
  {
    title: 'reads the project beside',
    script: () => reads('../sibling/.env', '../sibling/notes.txt'),
    gotOut: sawSecret,
  },
  {
    title: 'lists the folders above',
    script: ({ outside }) => `ls .. ../..; ls "${path.dirname(outside)}"`,
    gotOut: saw('sibling'),
  },
  {
    title: 'looks through the system for files of others',
    script: ({ token }) =>
      `grep -rls ${token} /home /root /srv /mnt /media /var /run /tmp /opt /work 2>/dev/null | grep -v /project/ | sed 's/^/found /'`,
    gotOut: saw('found'),
    onlyInside: true,
  },
  {
    title: 'changes what other agents obey',
    script: () => replaces('AGENTS.md'),
    gotOut: (world) => !isAsItWas(world, 'AGENTS.md'),
  },
  {
    title: 'makes a list of servers where there was none',
    script: () => `echo '{}' > .mcp.json; mkdir -p sub; echo '{}' > sub/x; mv sub/x .mcp.json`,
    gotOut: (world) => existsSync(inProject(world, '.mcp.json')),
  },
  {
    title: 'makes what is loaded a link to its own',
    script: () => `echo '{}' > own; ln -s own .mcp.json`,
    gotOut: (world) => lstatSync(inProject(world, '.mcp.json'), { throwIfNoEntry: false }) !== undefined,
  },
  {
    title: 'changes a program that is started later',
    script: () => replaces('scripts/deep/notify.sh'),
    gotOut: (world) => !isAsItWas(world, 'scripts/deep/notify.sh'),
  },
  {
    title: 'puts another folder in the place of that program’s',
    script: () =>
      'mv scripts moved; mv scripts/deep moved; mkdir -p scripts/deep; echo evil > scripts/deep/notify.sh; rm -rf scripts',
    gotOut: (world) => !isAsItWas(world, 'scripts/deep/notify.sh'),
  },
  {
    title: 'changes this program where it is installed in the project',
    script: () =>
      `${replaces('node_modules/hitl/dist/bin/hitl.js')}; echo evil > node_modules/hitl/new; mv node_modules moved; rm -rf node_modules`,
    gotOut: (world) =>
      !isAsItWas(world, 'node_modules/hitl/dist/bin/hitl.js') ||
      existsSync(inProject(world, 'node_modules/hitl/new')),
  },
  {
    title: 'leaves a hook or a setting in a repository below',
    script: () =>
      'echo evil > nested/.git/hooks/pre-commit; git -C nested config core.fsmonitor ./evil; mv nested moved; mkdir -p nested/.git/hooks; echo evil > nested/.git/hooks/pre-commit',
    gotOut: (world) =>
      existsSync(inProject(world, 'nested/.git/hooks/pre-commit')) ||
      !existsSync(inProject(world, 'nested/.git/config')) ||
      readFileSync(inProject(world, 'nested/.git/config'), 'utf8').includes('evil'),
  },
  {
    title: 'finds a key in its environment, or in that of what holds the sandbox',
    script: () => `env; cat /proc/1/environ /proc/self/environ /proc/$PPID/environ | tr '\\0' '\\n'`,
    gotOut: saw('variable-'),
    onlyInside: true,
  },
  {
    title: 'signals everything that it can',
    script: () => `trap '' TERM HUP; kill -HUP -1; kill -9 -1; sleep 0.1`,
    gotOut: ({ victim }) => victim.signalCode !== null,
    onlyInside: true,
  },
  {
    title: 'reads the memory of a process outside',
    needs: 'x64',
    // process_vm_readv and pidfd_open, by their numbers on x86_64.
    script: ({ victim }) =>
      perl(
        `open(my $m, "<", "/proc/${victim.pid!}/mem") and print "memory\\n"; print "handle\\n" if syscall(434, ${victim.pid!}, 0) >= 0;`,
      ),
    gotOut: (_, { output }) => /^(memory|handle)$/m.test(output),
  },
  {
    title: 'reads memory that others share',
    withShared: true,
    script: ({ shared }) => perl(`shmread(shmget(${shared}, 64, 0) // exit, $text, 0, 64); print $text`),
    gotOut: sawSecret,
  },
  {
    title: 'gains rights by a program that is setuid',
    script: () =>
      `for by in 'su -c' 'sudo -n sh -c' 'newgrp -c'; do timeout 2 $by 'grep CapEff /proc/self/status; echo now $(id -u)' < /dev/null 2>/dev/null; done; cp /bin/sh own; chmod u+s own; ./own -p -c 'grep CapEff /proc/self/status'`,
    gotOut: (_, { output }) => /CapEff:\s+0*[1-9a-f]/.test(output),
    onlyInside: true,
  },
  {
    title: 'opens a file by its handle',
    needs: 'x64',
    // name_to_handle_at and open_by_handle_at, by their numbers on x86_64: of the root of the file system, by any file on it.
    script: () =>
      perl(
        'my $f = "hitl.config.json"; my $h = pack("Ii", 128, 0) . "\\0" x 128; my $m = pack("i", 0); syscall(303, -100, $f, $h, $m, 0) == 0 or exit; open(my $d, "<", ".") or exit; my $n = syscall(304, fileno($d), $h, 0); print "opened\\n" if $n >= 0',
      ),
    gotOut: saw('opened'),
    asRoot: true,
  },
  {
    title: 'leaves a task to a service of the system',
    script: ({ token }) =>
      `mkdir -p /var/spool/cron/crontabs; echo x > /var/spool/cron/crontabs/${token}; echo x > /etc/cron.d/${token}; echo 'touch x' | at now; (systemd-run --user true || systemd-run true) && echo started-by-systemd`,
    gotOut: ({ token }, attempt) =>
      existsSync(`/var/spool/cron/crontabs/${token}`) ||
      existsSync(`/etc/cron.d/${token}`) ||
      attempt.output.includes('started-by-systemd'),
    onlyInside: true,
  },
  {
    title: 'reads private files of /etc',
    script: () =>
      `find /etc -type f ! -perm -o+r -size +0 2>/dev/null | while read -r file; do [ -s "$file" ] && head -c1 "$file" > /dev/null 2>&1 && echo "private $file"; done`,
    gotOut: saw('private /'),
    asRoot: true,
  },
  {
    title: 'writes what stays to the root, or to the system',
    script: ({ token }) =>
      `for folder in / /usr/bin /usr/local/bin /etc /opt /srv /var /lib /home /root /sys; do echo x > "$folder/${token}"; done`,
    gotOut: ({ token }) =>
      ['/', '/usr/bin', '/usr/local/bin', '/etc', '/opt', '/srv', '/var', '/lib', '/home', '/root'].some(
        (folder) => existsSync(path.join(folder, token)),
      ),
    onlyInside: true,
  },
];

/** Ways out of the sandbox of a command that only reads, which nobody was asked about. Their numbers follow the others. */
export const READING_ESCAPES: readonly Escape[] = [
  {
    title: 'makes, changes, renames or removes a file of its folder',
    script: () =>
      `echo x > made; echo x >> AGENTS.md; mv tools moved; rm -rf scripts; truncate -s 0 hitl.config.json; cp AGENTS.md copy; sed -i s/was/evil/ AGENTS.md; dd if=/dev/zero of=AGENTS.md count=1`,
    gotOut: isChangedHere,
  },
  {
    title: 'changes what is told about a file: mode, time, owner, attributes',
    script: () =>
      `chmod 777 AGENTS.md; touch -d 2001-01-01 AGENTS.md; chown 12345 AGENTS.md; setfattr -n user.x -v y AGENTS.md; ${perl('print "moded\n" if chmod(0777, "AGENTS.md"); print "timed\n" if utime(1, 1, "AGENTS.md")')}`,
    gotOut: (world, { output }) =>
      /moded|timed/.test(output) || lstatSync(inProject(world, 'AGENTS.md')).mtimeMs < Date.UTC(2002),
  },
  {
    title: 'makes a link, a folder, a pipe or another name of a file in its folder',
    script: () => 'ln -s /tmp own; ln AGENTS.md second; mkdir made; mkfifo pipe; mknod device c 1 3',
    gotOut: (world) =>
      ['own', 'second', 'made', 'pipe', 'device'].some((name) => existsSync(inProject(world, name))),
  },
  {
    title: 'writes by memory that is mapped, or by a file that it opened to read',
    script: () =>
      `exec 7< AGENTS.md; echo evil > /proc/self/fd/7; echo evil > /dev/fd/7; python3 -c 'import mmap; f = open("AGENTS.md", "r+b"); m = mmap.mmap(f.fileno(), 0); m[0:4] = b"evil"; m.flush()' 2>/dev/null`,
    gotOut: isChangedHere,
  },
  {
    title: 'writes through a link of its folder, or through its own /tmp',
    script: ({ project, outside }) =>
      `echo x > link/precious; ln -s "${project}" /tmp/here; echo evil > /tmp/here/AGENTS.md; ln -s "${outside}" /tmp/out; echo x > /tmp/out/new`,
    gotOut: (world) => changed(world) || isChangedHere(world),
  },
  {
    title: 'mounts its folder again to write in it',
    script: ({ project }) =>
      `mount -o remount,rw,bind "${project}"; mount -o remount,rw /; unshare -Urm sh -c 'mount -o remount,rw,bind "${project}"; echo x > made'; echo x > made`,
    gotOut: isChangedHere,
    onlyInside: true,
  },
  {
    title: 'commits, stages, or changes the settings or the index of the repository',
    script: () =>
      `git add AGENTS.md; git -c user.name=a -c user.email=a@b commit -qm x; git config core.pager evil; git stash; git gc; touch .git/index; git update-ref refs/heads/evil HEAD`,
    gotOut: (world) =>
      existsSync(inProject(world, '.git/index')) || existsSync(inProject(world, '.git/refs/heads/evil')),
  },
  {
    title: 'runs a program that the repository names, and that changes something',
    script: () =>
      `printf '#!/bin/sh\necho evil > AGENTS.md; echo x > made' > /tmp/evil; chmod +x /tmp/evil; git -c core.fsmonitor=/tmp/evil status; git -c core.pager=/tmp/evil -p log; tar -cf /dev/null AGENTS.md --checkpoint=1 --checkpoint-action=exec=/tmp/evil`,
    gotOut: isChangedHere,
  },
  {
    title: 'deletes by find, by git clean, or by a script of the project',
    script: () => `find . -name AGENTS.md -delete; git clean -fdx; git checkout -- .; rm -rf ./* .git`,
    gotOut: (world) => isChangedHere(world) || !existsSync(inProject(world, 'tools/trusted.mjs')),
    onlyInside: true,
  },
  {
    title: 'reads files of keys in its folder and below',
    script: () =>
      `cat .env deep/.env.local deep/id_ed25519 server.pem .npmrc; grep -r key-of . ; git show :.env`,
    gotOut: saw('key-of-the-project'),
  },
  {
    title: 'reads a password in the settings of the repository',
    script: () => 'cat nested/.git/config; git -C nested remote -v; git -C nested config --list',
    gotOut: saw('password-of-git'),
  },
  {
    title: 'reads what the person let commands read that are asked about',
    script: ({ home }) => `cat "${home}/.added/notes"`,
    gotOut: saw('added by the person'),
  },
  {
    title: 'finds a variable that the person lets commands have that are asked about',
    script: () => 'echo "$PASSED_ON"; env',
    gotOut: saw('passed on by the person'),
  },
  {
    title: 'talks to a socket that is made in its folder after it began',
    script: ({ project }) =>
      `${until('[ -S late.socket ]')}; ${connect("'late.socket'")}; ${connect(`'${project}/late.socket'`)}`,
    gotOut: wasHeard,
  },
  {
    title: 'writes to a pipe in its folder that another program reads',
    script: () => 'timeout 1 sh -c "echo heard > named.pipe"',
    gotOut: wasHeard,
  },
  {
    title: 'makes a socket of the machine: local, virtual, raw, Bluetooth, of the kernel’s keys',
    // AF_UNIX, AF_PACKET, AF_BLUETOOTH, AF_ALG, AF_VSOCK
    script: () =>
      perl(
        'for (1, 17, 31, 38, 40) { print "made $_\n" if socket(my $s, $_, 1, 0) || socket($s, $_, 2, 0) || socket($s, $_, 5, 0) }',
      ),
    gotOut: saw('made '),
    onlyInside: true,
  },
  {
    title: 'reads the key ring of the login session',
    needs: 'x64',
    // add_key, request_key and keyctl (KEYCTL_GET_KEYRING_ID, KEYCTL_READ), by their numbers on x86_64.
    script: () =>
      perl(
        'for my $ring (-3, -4, -5) { print "ring\n" if syscall(250, 0, $ring, 0) > 0 } my ($t, $d) = ("user", "hitl-test"); print "added\n" if syscall(248, $t, $d, $d, 9, -3) > 0;',
      ),
    gotOut: (_, { output }) => /^(ring|added)$/m.test(output),
  },
  {
    title: 'makes calls by a ring, or by the numbers of the second set',
    needs: 'x64',
    // io_uring_setup, and socket with the bit of x32.
    script: () =>
      perl(
        'my $p = "." x 200; print "ring\n" if syscall(425, 1, $p) >= 0; print "second\n" if syscall(0x40000000 + 41, 1, 1, 0) >= 0;',
      ),
    gotOut: (_, { output }) => /^(ring|second)$/m.test(output),
    onlyInside: true,
  },
  {
    title: 'traces or reads another process, or watches the machine',
    needs: 'x64',
    // ptrace (PTRACE_SEIZE), process_vm_readv, perf_event_open, bpf, userfaultfd.
    script: () =>
      perl(
        'my $b = "." x 128; print "traced\n" if syscall(101, 0x4206, 1, 0, 0) == 0; for (298, 321, 323) { print "opened $_\n" if syscall($_, $b, 0, -1, -1, 0) >= 0 }',
      ),
    gotOut: (_, { output }) => /traced|opened/.test(output),
    onlyInside: true,
  },
  {
    title: 'fills the memory of the machine by files that are in memory',
    script: () =>
      `for at in /tmp /dev/shm ~ /run; do head -c 400M /dev/zero > $at/big 2>/dev/null; [ "$(stat -c %s $at/big)" -ge 400000000 ] && echo "filled $at"; rm -f $at/big; done`,
    gotOut: saw('filled'),
    onlyInside: true,
  },
  {
    title: 'fills the memory of the machine by one process',
    script: () => perl('my $x = "x" x (5 * 1024 * 1024 * 1024); print "filled\n" if length $x'),
    gotOut: saw('filled'),
    onlyInside: true,
  },
];
