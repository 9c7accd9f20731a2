import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { describe, expect, onTestFinished, test } from 'vitest';

import { noteHeard } from '../../commands/hook/heard.js';
import { hookChecks } from '../../commands/hook/hook-checks.js';

/** A home with this program at `own`, and a search path. */
function place() {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'hitl-hooks-')));
  onTestFinished(() => {
    rmSync(home, { recursive: true });
  });
  for (const folder of ['bin', 'own', 'other', '.claude', '.codex', 'work']) mkdirSync(join(home, folder));
  const own = program(home, 'own/hitl.js');
  program(home, 'bin/node');
  symlinkSync(own, join(home, 'bin/hitl'));
  const io = {
    home,
    cwd: join(home, 'work'),
    env: { PATH: join(home, 'bin'), HITL_HOME: join(home, 'own') },
  };
  return { home, own, io, checks: () => hookChecks(io, own) };
}

function program(home: string, name: string): string {
  const file = join(home, name);
  writeFileSync(file, '#!/bin/sh\n', { mode: 0o755 });
  return file;
}

function install(home: string, command: string): string {
  const file = join(home, '.claude/settings.json');
  const hook = { matcher: 'Bash', hooks: [{ type: 'command', command }] };
  writeFileSync(file, JSON.stringify({ hooks: { PreToolUse: [hook], PermissionRequest: [hook] } }));
  return file;
}

describe('hitl doctor on hooks', () => {
  test('says nothing where none is installed, and nothing of those of others', () => {
    const { home, checks } = place();
    install(home, 'other hook claude-code');
    expect(checks()).toEqual([]);
  });

  test.for([
    'hitl hook claude-code',
    'HOME/bin/hitl hook claude-code --wait 30s',
    "node 'HOME/own/hitl.js' hook claude-code",
  ])('says where %s is installed, for what, and when it was heard', (command) => {
    const { home, io, checks } = place();
    const file = install(home, command.replace('HOME', home));
    const row = { what: 'hook claude-code', status: 'warning', found: `Bash (${file}), never heard yet` };
    expect(checks()).toEqual([{ ...row, hint: 'restart the agent and let it call a tool' }]);
    noteHeard(io, 'claude-code');
    const found = expect.stringMatching(/^Bash \(.*\), last heard \d{4}-/u);
    expect(checks()).toEqual([{ what: 'hook claude-code', status: 'ok', found }]);
  });

  test.for([
    { gone: 'bin/hitl', command: 'hitl hook claude-code', missing: 'hitl' },
    { gone: 'bin/node', command: 'hitl hook claude-code', missing: 'node' },
    { gone: 'own/hitl.js', command: 'hitl hook claude-code', missing: 'hitl' },
    {
      gone: 'bin/node',
      command: 'HOME/bin/node HOME/own/hitl.js hook claude-code',
      missing: 'HOME/bin/node',
    },
    { gone: 'own/hitl.js', command: 'node HOME/own/hitl.js hook claude-code', missing: 'HOME/own/hitl.js' },
  ])('fails where $command has lost $gone', ({ gone, command, missing }) => {
    const { home, checks } = place();
    const file = install(home, command.replaceAll('HOME', home));
    rmSync(join(home, gone));
    expect(checks()).toEqual([
      {
        what: 'hook claude-code',
        status: 'failed',
        found: `program \`${missing.replace('HOME', home)}\` not found (${file}), so claude-code decides without hitl`,
        hint: 'install it where claude-code can find it, or: hitl hook uninstall claude-code',
      },
    ]);
  });

  test('warns of another hitl that it starts', () => {
    const { home, checks } = place();
    const other = program(home, 'other/hitl');
    const file = install(home, `${other} hook claude-code`);
    expect(checks()).toEqual([
      {
        what: 'hook claude-code',
        status: 'warning',
        found: `starts ${other} instead of this program (${file})`,
        hint: `remove the other hitl from PATH, or run: ${other} hook status`,
      },
    ]);
  });

  test('warns of a file that it cannot read, and looks at that of the folder too', () => {
    const { home, io, checks } = place();
    writeFileSync(join(home, '.codex/hooks.json'), '{');
    mkdirSync(join(io.cwd, '.codex'));
    writeFileSync(
      join(io.cwd, '.codex/hooks.json'),
      JSON.stringify({
        hooks: { PreToolUse: [{ hooks: [{ type: 'command', command: 'hitl hook codex' }] }] },
      }),
    );
    expect(checks()).toEqual([
      {
        what: 'hook codex',
        status: 'warning',
        found: `\`${join(home, '.codex/hooks.json')}\` is not a JSON object with valid \`hooks\``,
        hint: 'mend the file',
      },
      {
        what: 'hook codex',
        status: 'warning',
        found: `* (${join(io.cwd, '.codex/hooks.json')}), never heard yet`,
        hint: 'Codex skips untrusted hooks: start codex, then run /hooks',
      },
    ]);
  });
});
