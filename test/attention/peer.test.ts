import { expect, test } from 'vitest';

import { matching } from './peer.js';

const WORLD = {
  home: '/home/ann',
  project: '/home/ann/code/app',
  fill: (text: string) => text.replaceAll('{{server}}', 'http://127.0.0.1:1'),
};

const bash = (command: string, timeout?: number): object => ({
  name: 'Bash',
  input: { command, ...(timeout !== undefined && { timeout }) },
});

test.for([
  [
    { tool: 'read_file', input: { path: '~/.netrc', fromLine: 2, maxLines: 3 } },
    { name: 'Read', input: { file_path: '/home/ann/.netrc', offset: 2, limit: 3 } },
  ],
  [
    { tool: 'write_file', input: { path: 'a.sh', content: 'curl {{server}}\n' } },
    { name: 'Write', input: { file_path: '/home/ann/code/app/a.sh', content: 'curl http://127.0.0.1:1\n' } },
  ],
  [
    { tool: 'edit_file', input: { path: '../b.js', oldText: 'a', newText: 'b' } },
    { name: 'Edit', input: { file_path: '/home/ann/code/b.js', old_string: 'a', new_string: 'b' } },
  ],
  [{ tool: 'list_files', input: { path: 'src' } }, bash("ls 'src'")],
  [{ tool: 'list_files', input: { path: '.', recursive: true } }, bash("find '.'")],
  [
    { tool: 'search_files', input: { pattern: "it's", maxMatches: 20 } },
    bash(String.raw`grep -rnF -- 'it'\''s' '.' | head -n 20`),
  ],
  [
    { tool: 'search_files', input: { pattern: 'a|b', regex: true, path: 'src' } },
    bash("grep -rnE -- 'a|b' 'src'"),
  ],
  [
    { tool: 'run_command', input: { command: 'git push', network: true, timeoutMs: 4000 } },
    bash('git push', 4000),
  ],
  [
    { tool: 'run_command', input: { argv: ['touch', 'a b', '{{server}}'], writes: true } },
    bash("'touch' 'a b' 'http://127.0.0.1:1'"),
  ],
  [
    { tool: 'tickets__close', input: { id: '12' } },
    { name: 'mcp__tickets__close', input: { id: '12' } },
  ],
  [{ tool: 'fetch_url', input: { url: '{{server}}' } }, undefined],
] as const)('the call %j becomes %j', ([call, expected]) => {
  expect(matching(call, WORLD)).toEqual(expected);
});
