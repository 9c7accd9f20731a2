import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { PROGRAM } from './program.js';

/** The folder of the project, with a slash at its end. */
export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** A fenced block of a page. */
export interface Block {
  readonly language: string;
  /** Named by a comment before the block: `<!-- file: bank.mjs -->`. */
  readonly file: string | undefined;
  /** With the line break at its end. */
  readonly text: string;
  /** Where it stands, for messages. */
  readonly line: number;
}

/** The fenced blocks of a page of the project, in order. */
export function blocksOf(page: string): readonly Block[] {
  const text = readFileSync(join(ROOT, page), 'utf8');
  return [...text.matchAll(/(?:<!-- file: (\S+) -->\n+)?^```(\S+)\n([^]*?)^```$/gm)].map(
    ({ 1: file, 2: language = '', 3: content = '', index }) => ({
      language,
      file,
      text: content,
      line: text.slice(0, index).split('\n').length,
    }),
  );
}

/** What differs from run to run: ids, ages, dates, folders, who is logged in, and the columns that follow from them. */
export function masked(text: string): string {
  return (
    text
      .replace(/\b01[0-9a-hjkmnp-tv-z]{14}\b/g, '<id>')
      .replace(/\b\d{4}-\d{2}-\d{2}[ T][\d:.]+(?:Z| UTC)/g, '<time>')
      .replace(
        /(?<=waits for event \w+ until )(?:today |tomorrow |\d\d-\d\d )?(?:\d\d:\d\d|<time>)/g,
        '<time>',
      )
      .replace(/\b(?:today|tomorrow) at \d\d:\d\d UTC/g, '<time>')
      .replace(/\bby \S+ by answer/g, 'by <person> by answer')
      // The hash of a question holds for one session only.
      .replace(/\([0-9a-f]{8}\)/g, '(<hash>)')
      .replace(/(?<=--digest )[0-9a-f]{8}\b/g, '<hash>')
      .replace(/(?<=^i\d+ {2})[0-9a-f]{8}\b/gm, '<hash>')
      .replace(/\bapproved by (?!rule|answers|stdin)[^\s)]+/g, 'approved by <person>')
      .replace(/\/\S*\/hitl-docs-\w+\/work\b/g, '/home/ann/shop')
      .replace(/\b(?:just now|\d+ s(?: ago)?)/g, '<age>')
      .replace(/ +(?=TITLE| {2})/g, '')
      .replace(/ {2,}/g, '  ')
  );
}

/** A shell whose `hitl` is the built program; `folder` is home, working directory and the place of sessions. */
export class Shell {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
    mkdirSync(join(folder, 'bin'));
    writeFileSync(join(folder, 'bin/hitl'), `#!/bin/sh\nexec '${process.execPath}' '${PROGRAM}' "$@"\n`);
    chmodSync(join(folder, 'bin/hitl'), 0o755);
    mkdirSync(join(folder, 'work'));
  }

  /** Makes `hitl` a package that programs of the reader can import. */
  install(): void {
    const link = join(this.#folder, 'work/node_modules/hitl');
    mkdirSync(dirname(link), { recursive: true });
    if (!existsSync(link)) symlinkSync(ROOT, link);
  }

  /** Saves what a page tells the reader to save. */
  save(file: string, text: string): void {
    mkdirSync(dirname(join(this.#folder, 'work', file)), { recursive: true });
    writeFileSync(join(this.#folder, 'work', file), text);
  }

  /** Runs a script; both streams come back as one, as a terminal would show them. */
  run(
    script: string,
    cwd = join(this.#folder, 'work'),
  ): { readonly status: number | null; readonly shown: string } {
    const { status, stdout } = spawnSync('bash', ['-c', `exec 2>&1\n${script}`], {
      cwd,
      encoding: 'utf8',
      env: {
        PATH: `${join(this.#folder, 'bin')}:${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`,
        HOME: this.#folder,
        HITL_HOME: this.#folder,
        NO_COLOR: '1',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    return { status, shown: stdout };
  }

  /** Plays a block of `$ command` lines and what they print; ids that it shows stand for the newest session, digests for the newest question. */
  play(block: string): string {
    const script = block
      .split('\n')
      .filter((line) => line.startsWith('$ '))
      .map((line) => {
        const command = line
          .slice(2)
          .replace(/\b01[0-9a-hjkmnp-tv-z]{14}\b/g, '"$(newest)"')
          .replace(/(?<=--digest )[0-9a-f]{8}\b/g, '"$(digest)"');
        return `__status=$?; printf '%s\\n' ${quoted(line)}; (exit $__status)\n${command}`;
      });
    const newest = `newest() { ls "$HITL_HOME/sessions" | grep '^01' | tail -1; }`;
    const digest = `digest() { hitl inbox --json | node -p 'JSON.parse(fs.readFileSync(0)).at(-1).digest.slice(0, 8)'; }`;
    return this.run([newest, digest, ...script].join('\n')).shown;
  }
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
