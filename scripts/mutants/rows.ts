import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** A guarantee that is taken away: a text of the product, what replaces it, and the tests that must notice. */
export interface Mutant {
  /** The number in `docs/guarantees.md`. */
  readonly guarantee: string;
  readonly name: string;
  /** Stands once in the product, in whatever file. */
  readonly text: string;
  readonly replacement: string;
  /** Below `test`, without `.test.ts`. */
  readonly tests: readonly string[];
}

type Row = readonly [guarantee: string, name: string, text: string, replacement: string, ...tests: string[]];

const ROWS: readonly Row[] = [
  // Law A: what was shown is what runs.
  [
    'G11',
    'an approval counts for another input',
    '!jsonEquals(agreed.input, now.input)',
    'false',
    'engine/plan',
    'fuzz/plans',
  ],
  [
    'G11',
    'an approval counts for other code',
    'if (agreed === now) return [];',
    'if (true) return [];',
    'engine/old-yes',
  ],
  ['G11', 'an approval counts for ever', 'at <= timeOf(age.until)', 'true', 'engine/old-yes'],
  [
    'G11',
    'what a rule forbids can be approved',
    'const why = tool.forbids?.(input, facts);',
    'const why = undefined;',
    'engine/check-resume',
    'engine/approvals',
  ],
  [
    'G12',
    'a body can change the input that was shown',
    'const entered = deepFreeze(parsed.value);',
    'const entered = parsed.value;',
    'engine/run',
    'engine/secrets',
    'engine/approvals',
  ],
  [
    'G12',
    'a journal starts a call with another input',
    '!jsonEquals(approval.input, input)',
    'false',
    'fuzz/plans',
  ],
  [
    'G13',
    'an edited input is not checked',
    'if (parsed.ok) return forbiddenBy(tool, interrupt, parsed.value);',
    'return forbiddenBy(tool, interrupt, input);',
    'engine/check-resume',
  ],
  ['G46', 'a decision needs no votes', 'agreed.length < need', 'false', 'core/votes'],
  [
    'G46',
    'a person is whatever name they give',
    'return subjectKey(one.subject) === subjectKey(other.subject);',
    'return one.name === other.name;',
    'core/identity',
    'core/votes',
  ],
  [
    'G46',
    'the requester approves',
    'decides && hasAsked && approvers.notRequester === true',
    'false',
    'core/votes',
  ],
  ['G14', 'a body is entered after a stop', 'if (around.aborted)', 'if (false)', 'engine/abort'],
  [
    'G16',
    'the digest of an answer is not compared',
    'if (digest !== interrupt.digest)\n',
    'if (false)\n',
    'engine/check-resume',
    'sessions/answer-inbox',
  ],
  [
    'G16',
    'a yes needs no digest',
    'naming.any === true || !isYes(resolution)',
    'naming.any !== false',
    'core/answer-names',
  ],
  [
    'G17',
    'a gate that was passed holds for any state',
    'agreed !== stateDigest(frame.values)',
    'false',
    'graph/decisions-hold',
  ],

  // Law B: foreign data has no vote.
  ['G36', 'a MAC needs no key', 'const byte = key[at] ?? 0;', 'const byte = 0;', 'sessions/hostile-folders'],
  [
    'G36',
    'a MAC is not bound to its session',
    '`${kind}\\n${id}\\n${before}\\n`',
    '`${kind}\\n${before}\\n`',
    'sessions/hostile-folders',
  ],
  [
    'G34',
    'a program starts with another content than was trusted',
    'if (changed !== undefined)',
    'if (changed === undefined && files.length < 0)',
    'programs/start',
  ],
  [
    'G34',
    'a program is found in the working folder',
    '.filter((entry) => !liesIn(entry, guarded))',
    '',
    'programs/start',
  ],
  ['G31', 'nothing is escaped', 'inSlices(text, escapeToken)', 'text', 'core/escape'],
  [
    'G31',
    'a key in a question is not escaped',
    'plainKeyPattern().test(key) ? escapeText(key) : quoted(key)',
    'key',
    'human/question-text',
    'screen/question',
  ],
  [
    'G31',
    'text of a model is not escaped',
    'safe + escapeText(unix.slice(from))',
    'safe + unix.slice(from)',
    'render/safe-text',
  ],
  [
    'G33',
    'an address without encryption is called',
    "url.protocol === 'http:' && !(isListed",
    "url.protocol === 'none:' && !(isListed",
    'outgoing/post',
  ],
  [
    'G32',
    'links are followed',
    ' | fs.constants.O_APPEND | fs.constants.O_NOFOLLOW',
    ' | fs.constants.O_APPEND',
    'sessions/safety',
  ],
  ['G32', 'files are for everybody', 'FILE_MODE = 0o600', 'FILE_MODE = 0o644', 'sessions/safety'],

  // Law C: least privilege.
  ['G35', 'a rule that allows wins over one that denies', 'deny: 4,', 'deny: -1,', 'core/rules/judge-call'],
  [
    'G35',
    'a command that cannot be analysed is not denied',
    'return may(whyMay(call.input, words));',
    'return NO;',
    'core/rules/judge-call',
    'fuzz/rules',
  ],
  [
    'G35',
    'a gate that throws lets the call run',
    'return { warnings: [`cannot determine whether this needs approval: ${messageOf(thrown)}`] };',
    'return undefined;',
    'engine/approvals',
  ],
  [
    'G37',
    'a hook of a repository runs by a rule',
    'if (hook !== undefined) return',
    "if (hook === '') return",
    'programs/plain-repository',
  ],
  [
    'G39',
    'time answers a question that names its people',
    "if (outcome.action === 'respond') return undefined;",
    '',
    'engine/people',
  ],
  ['G42', '`hitl mcp` does not compare what was asked', 'state.asked === asked', 'true', 'commands/asking'],
  [
    'G47',
    'a private address is called',
    '!isListed && (isIP(address) === 0 ||',
    'false && (isIP(address) === 0 ||',
    'outgoing/post',
  ],

  // Nothing acknowledged is lost, nothing runs twice untold.
  ['G1', 'an answer is not flushed', 'fs.datasync(fd), ', '', 'sessions/flushes'],
  ['G2', 'the journal is not flushed', 'await fs.datasync(this.#fd);', '', 'sessions/flushes'],
  ['G3', 'a torn tail is cut without a copy', 'writeWhole(fs, backup.fd, piece);', ';', 'sessions/recovery'],
  [
    'G4',
    'checksums are not compared',
    'Number.parseInt(sum, 16) === crc32(line.subarray(0, end))',
    'sum.length > 0',
    'sessions/recovery',
  ],
  ['G5', 'a damaged snapshot is believed', 'sumOfFile(fs, fd, length) !== sum', 'false', 'sessions/snapshot'],
  [
    'G6',
    'a run continues after a failure to save',
    'await this.keep(step.value.events, step.value);',
    'await this.keep(step.value.events, step.value).catch(() => undefined);',
    'faults/acknowledge',
  ],
  [
    'G7',
    'half a write stays',
    'this.#options.fs.truncate(this.#fd, this.#written.length);',
    '',
    'sessions/faults',
    'faults/short-writes',
  ],
  [
    'G9',
    'a tool starts before its intent is on disk',
    'found.map((one) => this.#firstEvent(one, now)));',
    'found.map((one) => this.#firstEvent(one, now)), true);',
    'engine/lazily',
  ],
  ['G10', 'nothing is in doubt', 'if (inDoubt.length > 0)', 'if (false)', 'engine/next-step'],
  ['G23', 'a lock that somebody holds is taken', "if (result === 'held')", 'if (false)', 'sessions/lock'],
  ['G24', 'a writer does not notice another one', '    this.#fence();\n', '', 'sessions/durable-file'],

  // The terminal.
  [
    'G30',
    'keys count at once',
    'deafMs: 300',
    'deafMs: 0',
    'human/prompt-arming',
    'fuzz/typing-at-questions',
  ],
  [
    'G30',
    'keys that keep coming count',
    'this.#readyAt = Math.max(this.#readyAt, at + this.#times.quietMs);',
    '',
    'fuzz/typing-at-questions',
  ],
  [
    'G30',
    'several keys at once are one',
    'const isAlone = alone && at - this.#pressedAt >= TOGETHER_MS;',
    'const isAlone = true;',
    'fuzz/typing-at-questions',
  ],
  [
    'G30',
    'a text goes on into a question',
    'at - this.#typedAt < TYPING_MS) return this.#line;',
    'at < 0) return this.#line;',
    'fuzz/typing-at-questions',
  ],
  [
    'G30',
    'a text goes on from one question into the next',
    'return isBetween || at - this.#cutAt < TYPING_MS ? undefined : top;',
    'return top;',
    'human/terminal-turns',
  ],
  ['G30', 'a paste is keys', 'if (input.startsWith(PASTE_START, 1))', 'if (false)', 'human/terminal-keys'],
];

export const mutants: readonly Mutant[] = ROWS.map(
  ([guarantee, name, text, replacement, ...tests]): Mutant => ({ guarantee, name, text, replacement, tests }),
);

/** The files of the product in which a text stands, once for each time that it stands there. */
export function placesOf(root: string, text: string): readonly string[] {
  return ['bin', 'src', 'commands', 'sessions'].flatMap((room) =>
    readdirSync(path.join(root, room), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => path.join(room, name))
      .flatMap((file) => {
        const times = readFileSync(path.join(root, file), 'utf8').split(text).length - 1;
        return Array.from({ length: times }, () => file);
      }),
  );
}
