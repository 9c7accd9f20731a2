// The safety mechanisms, each with what removes it and the tests that must notice.

const flushes = 'test/sessions/flushes.test.ts';
const faults = 'test/sessions/faults.test.ts';
const recovery = 'test/sessions/recovery.test.ts';
const safety = 'test/sessions/safety.test.ts';
const lock = 'test/sessions/lock.test.ts';
const shortWrites = 'test/faults/short-writes.test.ts';
const keys = 'test/screen/keys.test.ts';
const places = 'test/screen/question.test.ts';
const durable = 'test/sessions/durable-file.test.ts';
const store = 'test/contracts/session-store.test.ts';
const snapshot = 'test/sessions/snapshot.test.ts';
const inbox = 'test/sessions/answer-inbox.test.ts';
const queue = 'test/sessions/message-queue.test.ts';
const queueFuzz = 'test/fuzz/queue.test.ts';
const rules = ['test/fuzz/rules.test.ts', 'test/core/rules/judge-call.test.ts'];
const recorder = 'test/repl/record.test.ts';
const lazily = 'test/engine/lazily.test.ts';
const death = 'test/engine/crash.test.ts';
const doubt = 'test/engine/in-doubt.test.ts';
const nextStep = 'test/engine/next-step.test.ts';
const allowed = 'test/library/allowed.test.ts';
const checkResume = 'test/engine/check-resume.test.ts';
const abort = 'test/engine/abort.test.ts';
const bounds = 'test/engine/bounds.test.ts';
const approvals = 'test/engine/approvals.test.ts';
const chat = 'test/crash/chat.test.ts';
const plan = 'test/engine/plan.test.ts';
const planFuzz = 'test/fuzz/plans.test.ts';
const decisions = 'test/graph/decisions-hold.test.ts';
const arming = 'test/human/prompt-arming.test.ts';
const promptKeys = 'test/human/prompt-keys.test.ts';
const terminalKeys = 'test/human/terminal-keys.test.ts';
const escape = 'test/core/escape.test.ts';
const question = 'test/human/question-text.test.ts';
const terminal = 'test/human/terminal.test.ts';
const safeText = 'test/render/safe-text.test.ts';
const renderText = [
  'test/render/text.test.ts',
  'test/render/terminal.test.ts',
  'test/render/transcript.test.ts',
];

function mutant(name, file, edits, ...tests) {
  return { name, file, edits, tests: tests.flat() };
}

const flushing = [
  mutant(
    'the journal is not flushed',
    'sessions/journal/durable-file.ts',
    [['await fs.datasync(this.#fd);', '']],
    flushes,
  ),
  mutant(
    'a new file is not flushed before it takes its place',
    'sessions/disk/atomic-write.ts',
    [['writeWhole(fs, fd, piece);\n      await fs.sync(fd);', 'writeWhole(fs, fd, piece);']],
    flushes,
  ),
  mutant(
    'the place of a new file is not flushed',
    'sessions/disk/atomic-write.ts',
    [['await syncFolder(fs, path.dirname(file));', '']],
    flushes,
  ),
  mutant(
    'the folder of all sessions is not flushed when it is made',
    'sessions/opening/create-session.ts',
    [['await syncFolder(fs, parent);', '']],
    flushes,
  ),
  mutant(
    'the folder of a new session is not flushed',
    'sessions/opening/create-session.ts',
    [['await syncFolder(fs, folder.path);', '']],
    flushes,
  ),
  mutant(
    'the name of a new session is not flushed',
    'sessions/opening/create-session.ts',
    [['await syncFolder(fs, root);', '']],
    flushes,
  ),
  mutant(
    'an answer is not flushed',
    'sessions/inbox/inbox-file.ts',
    [['await fs.datasync(fd);', '']],
    flushes,
  ),
  mutant(
    'the name of the inbox is not flushed',
    'sessions/inbox/inbox-file.ts',
    [['await syncFolder(fs, folder.path);', '']],
    flushes,
  ),
  mutant(
    'a newline that was missing is not flushed',
    'sessions/opening/repair-tail.ts',
    [["Buffer.from('\\n'));\n    await fs.datasync(fd);", "Buffer.from('\\n'));"]],
    flushes,
  ),
  mutant(
    'the copy of a torn tail is not flushed',
    'sessions/opening/repair-tail.ts',
    [['await fs.sync(backup.fd);', '']],
    flushes,
  ),
  mutant(
    'the name of that copy is not flushed',
    'sessions/opening/repair-tail.ts',
    [['await syncFolder(fs, folder.path);', '']],
    flushes,
  ),
  mutant(
    'the cut of a torn tail is not flushed',
    'sessions/opening/repair-tail.ts',
    [['fs.truncate(fd, position.length);\n  await fs.datasync(fd);', 'fs.truncate(fd, position.length);']],
    flushes,
  ),
  mutant(
    'a removal is not flushed',
    'sessions/folder/remove-folder.ts',
    [['await syncFolder(context.fs, context.root);', '']],
    flushes,
  ),
  mutant(
    'a salvaged copy is not flushed',
    'sessions/opening/salvage-session.ts',
    [['await syncFolder(fs, root);', '']],
    flushes,
  ),
];

const journal = [
  mutant(
    'checksums are not checked',
    'sessions/format/codec.ts',
    [
      [
        'if (sum === undefined || Number.parseInt(sum, 16) !== crc32(line.subarray(0, end)))',
        'if (sum === undefined)',
      ],
    ],
    recovery,
  ),
  mutant(
    'the chain is not checked',
    'sessions/journal/scan-journal.ts',
    [['stored.prev !== position.prev', 'false']],
    recovery,
  ),
  mutant(
    'doubles are not found',
    'sessions/journal/scan-journal.ts',
    [['stored.seq < expected', 'false']],
    recovery,
  ),
  mutant(
    'gaps are not found',
    'sessions/journal/scan-journal.ts',
    [['stored.seq > expected', 'false']],
    recovery,
  ),
  mutant(
    'whole records behind a bad line are taken for a torn tail',
    'sessions/journal/scan-journal.ts',
    [["health.kind === 'bad-line' && wholeLines === 0", "health.kind === 'bad-line'"]],
    recovery,
  ),
  mutant(
    'a torn tail is not kept',
    'sessions/opening/repair-tail.ts',
    [['writeWhole(fs, backup.fd, piece);', ';']],
    recovery,
  ),
  mutant(
    'a torn tail is not cut',
    'sessions/opening/repair-tail.ts',
    [['fs.truncate(fd, position.length);', '']],
    recovery,
  ),
  mutant(
    'half a write stays',
    'sessions/journal/durable-file.ts',
    [['fs.truncate(this.#fd, this.#written.length);', '']],
    faults,
    shortWrites,
  ),
  mutant(
    'half an answer stays',
    'sessions/inbox/inbox-file.ts',
    [['  } catch (error) {\n    fs.truncate(fd, size);', '  } catch (error) {']],
    faults,
    inbox,
    shortWrites,
  ),
  mutant(
    'an answer that was not flushed stays',
    'sessions/inbox/inbox-file.ts',
    [['fs.truncate(fd, size); // what is not acknowledged is not there', '']],
    inbox,
    queue,
    queueFuzz,
  ),
  mutant(
    'half a write counts as a whole one',
    'sessions/disk/atomic-write.ts',
    [['from += count;', 'from = bytes.length;']],
    faults,
    durable,
  ),
  mutant(
    'a file is flushed again after a failed flush',
    'sessions/journal/durable-file.ts',
    [['else await this.#replace();', "else this.#state = 'good';"]],
    durable,
    faults,
  ),
  mutant(
    'what was durable is not read back',
    'sessions/journal/durable-file.ts',
    [['verify(old, tip);', '']],
    durable,
    recovery,
  ),
  mutant(
    'a snapshot is taken unseen',
    'sessions/snapshot/read-snapshot.ts',
    [['sumOfFile(fs, fd, length) !== sum', 'false']],
    snapshot,
  ),
  mutant(
    'lists of a snapshot are taken unseen',
    'sessions/snapshot/read-snapshot.ts',
    [['sha256(bytes) !== place.sum', 'false']],
    snapshot,
  ),
];

const processes = [
  mutant(
    'a lock that is held is taken',
    'sessions/lock/lock.ts',
    [["if (result === 'held')", 'if (false)']],
    lock,
    store,
  ),
  mutant(
    'a lock file that was replaced counts',
    'sessions/lock/lock.ts',
    [['if (!isStillAt(fs, file, fd))', 'if (false)']],
    lock,
  ),
  mutant(
    'a kernel lock does not see a pid file',
    'sessions/lock/lock.ts',
    [['owner !== undefined && isOwnerAlive(owner, processes) !== false', 'false']],
    lock,
  ),
  mutant(
    'a stale pid file is taken over by itself',
    'sessions/lock/lock.ts',
    [['!isStale || takeOver !== true', '!isStale']],
    lock,
  ),
  mutant(
    'no fence',
    'sessions/journal/durable-file.ts',
    [['    this.#fence();\n', '']],
    durable,
    safety,
    store,
  ),
  mutant(
    'the fence does not see another file',
    'sessions/journal/durable-file.ts',
    [['facts.ino === this.#ino && facts.dev === this.#dev', 'true']],
    durable,
    safety,
  ),
  mutant(
    'every writer has the same epoch',
    'sessions/journal/session-tip.ts',
    [['(tip.state.writer?.epoch ?? 0) + 1', '1']],
    store,
  ),
  mutant(
    'a writer begins no epoch',
    'sessions/journal/session-tip.ts',
    [['tip.isOpened ? events : withOpening(tip, events, writer)', 'events']],
    store,
  ),
  mutant(
    'links are followed',
    'sessions/disk/file-system.ts',
    [
      [
        'append: fs.constants.O_RDWR | fs.constants.O_APPEND | fs.constants.O_NOFOLLOW |',
        'append: fs.constants.O_RDWR | fs.constants.O_APPEND |',
      ],
    ],
    safety,
  ),
  mutant(
    'what is no file is opened',
    'sessions/disk/safe-open.ts',
    [['if (facts.kind !== kind)', 'if (false)']],
    safety,
  ),
  mutant(
    'files of others are opened',
    'sessions/disk/safe-open.ts',
    [['user !== undefined && facts.uid !== user)\n    throw', 'false)\n    throw']],
    safety,
  ),
  mutant(
    'loose modes stay',
    'sessions/disk/safe-open.ts',
    [['if (!isLoose(facts.mode))', 'if (true)']],
    safety,
  ),
  mutant(
    'files are for everybody',
    'sessions/disk/atomic-write.ts',
    [['FILE_MODE = 0o600', 'FILE_MODE = 0o644']],
    safety,
  ),
  mutant(
    'folders are for everybody',
    'sessions/disk/atomic-write.ts',
    [['FOLDER_MODE = 0o700', 'FOLDER_MODE = 0o755']],
    safety,
  ),
];

const ENTER = `  for (const one of prepared) {
    if (one.type === 'run') crew.enter(one, round.idempotencyKey(one.call));
  }
`;

const engine = [
  mutant(
    'a tool runs before its intent is durable',
    'src/engine/run-tools.ts',
    [
      [ENTER, ''],
      ['  yield* begin(loop, round, prepared); // R1\n', `${ENTER}  yield* begin(loop, round, prepared);\n`],
    ],
    death,
    'test/engine/run.test.ts',
  ),
  mutant(
    'an event is shown before it is durable',
    'src/repl/record.ts',
    [
      ['    await appended;\n    await before; // K1\n', ''],
      [
        '    this.#show(events, written ?? this.#here());\n',
        '    this.#show(events, written ?? this.#here());\n    await appended;\n    await before;\n',
      ],
    ],
    'test/faults/acknowledge.test.ts',
  ),
  mutant(
    'a run goes on after a failure to save',
    'src/repl/record.ts',
    [
      [
        'await this.keep(step.value.events, step.value);',
        'await this.keep(step.value.events, step.value).catch(() => undefined);',
      ],
    ],
    'test/faults/acknowledge.test.ts',
  ),
  mutant(
    'what was kept lazily and lost is not noticed',
    'src/repl/record.ts',
    [['    await before; // K1\n', '']],
    recorder,
  ),
  mutant(
    'a run ends before the last of it is durable',
    'src/repl/record.ts',
    [['          await this.flushed();\n', '']],
    recorder,
  ),
  mutant(
    'a tool starts before its intent is flushed',
    'src/engine/run-loop.ts',
    [
      [
        'this.adopt(events, yield { durable: true, events });',
        'this.adopt(events, yield { durable: true, events, lazily: true });',
      ],
    ],
    lazily,
  ),
  mutant(
    'a model is called before its request is flushed',
    'src/engine/run-model.ts',
    [
      [
        'yield { durable: true, events: [started] }',
        'yield { durable: true, events: [started], lazily: true }',
      ],
    ],
    lazily,
  ),
  mutant(
    'nothing is in doubt',
    'src/engine/next-step.ts',
    [['if (inDoubt.length > 0)', 'if (false)']],
    nextStep,
  ),
  mutant(
    'the effect that was written down does not count',
    'src/engine/next-step.ts',
    [["state.effect === 'once' || ", '']],
    nextStep,
    doubt,
  ),
  mutant(
    'the effect of the tool as it is now does not count',
    'src/engine/next-step.ts',
    [[" || tools.get(request.name)?.effect === 'once'", '']],
    nextStep,
    doubt,
  ),
  mutant(
    'a call starts while its sibling waits',
    'src/engine/next-step.ts',
    [['waiting.length === 0 ? runnable : ', 'true ? runnable : ']],
    nextStep,
    chat,
  ),
  mutant(
    'the digest of an answer is not checked',
    'src/core/answer/check.ts',
    [['if (digest !== interrupt.digest)', 'if (false)']],
    checkResume,
    inbox,
    store,
  ),
  mutant(
    'the action of an answer is not checked',
    'src/core/ways/narrow.ts',
    [['if (!interrupt.allowed.includes(resolution.action))', 'if (false)']],
    checkResume,
  ),
  mutant(
    'a call that must be edited can be approved as it is',
    'src/core/ways/narrow.ts',
    [["if (isEdited === (edit === 'required')) return undefined;", 'return undefined;']],
    allowed,
  ),
  mutant(
    'what a rule forbids can be agreed to',
    'src/engine/check-resume.ts',
    [['const why = tool.forbids?.(input, facts);', 'const why = undefined;']],
    checkResume,
    approvals,
  ),
  mutant(
    'a rule that allows wins over one that denies',
    'src/core/rules/judge-call.ts',
    [['{ deny: 3, doubt: 2, ask: 1, allow: 0 }', '{ deny: 0, doubt: 2, ask: 1, allow: 3 }']],
    rules,
  ),
  mutant(
    'a command that cannot be analysed passes what is denied',
    'src/core/rules/scope-fit.ts',
    [['return opaque || facts[NOT_BY_WORDS] !== undefined ? MAY : NO;', 'return NO;']],
    rules,
  ),
  mutant(
    'an edited input is not checked',
    'src/engine/check-resume.ts',
    [
      [
        'if (parsed.ok) return forbiddenBy(tool, interrupt, parsed.value);',
        'return forbiddenBy(tool, interrupt, input);',
      ],
    ],
    checkResume,
  ),
  mutant(
    'inputs are not frozen',
    'src/engine/prepare-call.ts',
    [['deepFreeze(parsed.value)', 'parsed.value']],
    'test/engine/run.test.ts',
    'test/engine/secrets.test.ts',
    approvals,
  ),
  mutant(
    'a gate that throws lets pass',
    'src/engine/prepare-call.ts',
    [
      [
        'return { warnings: [`whether this needs approval could not be decided: ${messageOf(thrown)}`] };',
        'return undefined;',
      ],
    ],
    approvals,
  ),
  mutant(
    'calls start after a stop',
    'src/engine/run-tools.ts',
    [['if (loop.stop.aborted) return; // R4', '']],
    abort,
  ),
  mutant(
    'all calls of a reply run at a time',
    'src/engine/crew.ts',
    [['MOST_AT_ONCE - this.#busy', 'this.#waiting.length']],
    bounds,
  ),
  mutant(
    'a call that asks keeps the room of a body',
    'src/engine/crew.ts',
    [["if (arrival.type === 'prepared') this.#busy -= arrival.count;", '']],
    bounds,
  ),
  mutant(
    'all calls of a reply start',
    'src/engine/excess-calls.ts',
    [['all.length <= MOST_CALLS', 'true']],
    bounds,
  ),
  mutant(
    'a call that began is taken back for its place',
    'src/engine/excess-calls.ts',
    [[' && isFresh(call)', '']],
    bounds,
  ),
  mutant(
    'rounds have no limit of their own',
    'src/engine/limits.ts',
    [['const { maxTurns = DEFAULT_MAX_TURNS } = limits', 'const { maxTurns } = limits']],
    bounds,
  ),
  mutant(
    'a body is entered after a stop',
    'src/engine/run-tool.ts',
    [["if (around.aborted) return Promise.resolve({ type: 'settled', outcome: NOT_STARTED });", '']],
    abort,
  ),
  mutant(
    'keys change with the attempt',
    'src/engine/round.ts',
    [
      [
        '`${this.#options.runId}:${call.request.ref}`',
        '`${this.#options.runId}:${call.request.ref}:${call.attempts}`',
      ],
    ],
    'test/engine/run.test.ts',
    doubt,
    chat,
  ),
];

const human = [
  mutant(
    'keys count at once',
    'src/human/device/arming.ts',
    [['deafMs: 300', 'deafMs: 0']],
    arming,
    promptKeys,
  ),
  mutant(
    'early keys ask for no quiet',
    'src/human/device/arming.ts',
    [['quietMs: 400', 'quietMs: 0']],
    arming,
    promptKeys,
  ),
  mutant(
    'every key counts',
    'src/human/device/arming.ts',
    [['if (at >= this.#readyAt) return true;\n    this.#wait(at);\n    return false;', 'return true;']],
    arming,
    promptKeys,
  ),
  mutant(
    'a prompt that is drawn again is armed',
    'src/human/prompt/guard.ts',
    [['this.#arming.restart(this.#clock.now());', '']],
    promptKeys,
  ),
  mutant(
    'keys of one read count',
    'src/human/prompt/guard.ts',
    [['this.drop() || !alone', 'this.drop()']],
    promptKeys,
  ),
  mutant(
    'keys that follow at once count',
    'src/human/prompt/guard.ts',
    [['this.drop() || !alone', '!alone']],
    promptKeys,
    keys,
  ),
  mutant(
    'pastes are keys',
    'src/human/device/keys.ts',
    [['if (input.startsWith(PASTE_START, 1))', 'if (false)']],
    terminalKeys,
    promptKeys,
  ),
  mutant(
    'reports are keys',
    'src/human/device/keys.ts',
    [["if (']PX^_'.includes(second)) return readString(text);", '']],
    terminalKeys,
    promptKeys,
  ),
];

const showing = [
  mutant(
    'nothing is escaped',
    'src/core/text/escape.ts',
    [['text.replace(tokens, escapeToken)', 'text']],
    escape,
  ),
  mutant(
    'control characters are not escaped',
    'src/core/text/escape.ts',
    [['[\\\\\\p{Cc}', '[\\\\']],
    escape,
  ),
  mutant('format characters are not escaped', 'src/core/text/escape.ts', [['\\p{Cf}', '']], escape),
  mutant('surrogates are not escaped', 'src/core/text/escape.ts', [['\\p{Cs}\\p{Co}', '\\p{Co}']], escape),
  mutant('private characters are not escaped', 'src/core/text/escape.ts', [['\\p{Co}', '']], escape),
  mutant('unassigned characters are not escaped', 'src/core/text/escape.ts', [['\\p{Cn}', '']], escape),
  mutant(
    'line separators are not escaped',
    'src/core/text/escape.ts',
    [['\\p{Zl}\\p{Zp}\\p{M}', '\\p{M}']],
    escape,
  ),
  mutant('other spaces are not escaped', 'src/core/text/escape.ts', [['|(?! )\\p{Zs}`', '`']], escape),
  mutant('marks pile up', 'src/core/text/escape.ts', [['\\p{M}){1,2}`', '\\p{M}){1,9}`']], escape),
  mutant(
    'backslashes are not doubled',
    'src/core/text/escape.ts',
    [["return '\\\\\\\\';", "return '\\\\';"]],
    escape,
  ),
  mutant(
    'runs of spaces are not folded',
    'src/core/text/escape.ts',
    [['const LONG_RUN = / {9}/', 'const LONG_RUN = / {900}/']],
    escape,
  ),
  mutant(
    'a key of a question is not escaped',
    'src/human/values/value-rows.ts',
    [['plainKeyPattern().test(key) ? escapeText(key) : quoted(key)', 'key']],
    question,
    terminal,
    places,
  ),
  mutant(
    'a bare text of a question is not escaped',
    'src/human/values/value-rows.ts',
    [['return bare ? escapeText(text) : quoted(text);', 'return bare ? text : quoted(text);']],
    question,
    terminal,
    places,
  ),
  mutant(
    'a quoted text of a question is not escaped',
    'src/human/values/value-rows.ts',
    [["`\"${escapeText(text).replaceAll('\"', '\\\\u{22}')}\"`", '`"${text}"`']],
    question,
    terminal,
    places,
  ),
  mutant(
    'lines of a question are not escaped',
    'src/human/values/value-rows.ts',
    [['of escapeLines(piece.text)', "of piece.text.split('\\n')"]],
    question,
    terminal,
    places,
  ),
  mutant(
    'the name of a tool in a question is not escaped',
    'src/core/title/title.ts',
    [['const shown = plainLine(name, NAME_COLUMNS);', 'const shown = name;']],
    question,
    terminal,
    places,
  ),
  mutant(
    'the origin of a tool is not escaped',
    'src/human/question/words.ts',
    [[': plainLine(tool.origin, NAME_COLUMNS);', ': tool.origin;']],
    question,
    terminal,
    places,
  ),
  mutant(
    'a difference is not escaped',
    'src/human/question/question-parts.ts',
    [['text: escapeText(line) }', 'text: line }']],
    question,
    terminal,
    places,
  ),
  mutant(
    'a warning is not escaped',
    'src/human/question/interrupt-warnings.ts',
    [
      [
        "escapeText(typeof text === 'string' ? text : JSON.stringify(text))",
        "typeof text === 'string' ? text : JSON.stringify(text)",
      ],
    ],
    'test/human/warnings.test.ts',
    question,
    terminal,
    places,
  ),
  mutant(
    'a label to choose is not escaped',
    'src/human/prompt/pick-rows.ts',
    [['wrapped(escapeText(text), MOST_ROWS)', 'wrapped(text, MOST_ROWS)']],
    'test/human/prompt-choices.test.ts',
    terminal,
  ),
  mutant(
    'text of a model is not escaped',
    'src/render/safe-text.ts',
    [['return safe + escapeText(unix.slice(from));', 'return safe + unix.slice(from);']],
    safeText,
  ),
  mutant(
    'code of a model is not escaped',
    'src/render/markdown/stream.ts',
    [['const safe = safeText(line);', 'const safe = line;']],
    'test/render/markdown.test.ts',
  ),
  mutant(
    'links of a model are not escaped',
    'src/render/markdown/inline.ts',
    [['const url = safeText(decodeEntities(token.href));', 'const url = decodeEntities(token.href);']],
    'test/render/markdown.test.ts',
  ),
  mutant(
    'outputs of tools are not escaped',
    'src/render/value-line.ts',
    [
      [
        '"${escapeText(text.length > most ? text.slice(0, most) : text)',
        '"${(text.length > most ? text.slice(0, most) : text)',
      ],
    ],
    'test/render/value-line.test.ts',
    renderText,
  ),
  mutant(
    'blocks of values are not escaped',
    'src/render/value-block.ts',
    [['escapeLines(value).map', "value.split('\\n').map"]],
    renderText,
  ),
  mutant(
    'columns of a table are not escaped',
    'src/render/table.ts',
    [['escapeText(column.text(row))', 'column.text(row)']],
    'test/render/table.test.ts',
  ),
  mutant(
    'an error of a run is not escaped',
    'src/render/ended-lines.ts',
    [
      [
        "const error = `${theme.failure('error:')} ${escapeText(words)}`",
        "const error = `${theme.failure('error:')} ${words}`",
      ],
    ],
    renderText,
  ),
];

/** What was shown is what runs: the comparisons that hold an answer to what it was given for. */
const plans = [
  mutant(
    'an approval counts for another input',
    'src/core/plan/plan.ts',
    [
      [
        "if (agreed.asTyped !== true && !jsonEquals(agreed.input, now.input)) return ['the input is another one'];",
        '',
      ],
    ],
    plan,
    planFuzz,
  ),
  mutant(
    'an approval counts for another tool',
    'src/core/plan/plan.ts',
    [['if (agreed.tool !== undefined && agreed.tool !== now.tool)', 'if (false)']],
    plan,
    planFuzz,
  ),
  mutant(
    'an approval counts for whatever the gate says now',
    'src/core/plan/plan.ts',
    [
      [
        'if (agreed.request !== undefined) return requestDifferences(agreed.request, now.request);',
        'if (agreed.request !== undefined) return [];',
      ],
    ],
    planFuzz,
  ),
  mutant(
    'what a gate says only later counts as agreed to',
    'src/core/plan/plan.ts',
    [['return requestDifferences(Object.fromEntries(said), request);', 'return [];']],
    planFuzz,
  ),
  mutant(
    'facts are not compared',
    'src/core/plan/plan.ts',
    [
      [
        "if (member === 'facts') return factDifferences(before, after);",
        "if (member === 'facts') return [];",
      ],
    ],
    planFuzz,
  ),
  mutant(
    'an edit at a terminal holds for what nobody has seen',
    'src/core/plan/edit.ts',
    [["return ['facts', 'diff', 'warnings'].every((member) =>", 'return [].every((member) =>']],
    planFuzz,
  ),
  mutant(
    'an edit from elsewhere holds against a new warning',
    'src/core/plan/edit.ts',
    [['return after.every((warning) => before.some((one) => jsonEquals(one, warning)));', 'return true;']],
    planFuzz,
  ),
  mutant(
    'a start with another input folds',
    'src/core/call/lawful.ts',
    [['approval.asTyped !== true && !jsonEquals(approval.input, input)', 'false']],
    planFuzz,
  ),
  mutant(
    'a start with another plan folds',
    'src/core/call/lawful.ts',
    [['planDigest({ ...approval, name }) === plan', 'true']],
    planFuzz,
  ),
  mutant(
    'a start of another tool folds',
    'src/core/call/lawful.ts',
    [['if (name !== request.name) return', 'if (false) return']],
    planFuzz,
  ),
  mutant(
    'a question about another input folds',
    'src/core/call/lawful.ts',
    [
      [
        'if (mayDiffer || runs.some((one) => jsonEquals(one, source.input))) return undefined;',
        'return undefined;',
      ],
    ],
    planFuzz,
  ),
  mutant(
    'a question about another tool folds',
    'src/core/call/lawful.ts',
    [['if (source.name !== request.name)', 'if (false)']],
    planFuzz,
  ),
  mutant(
    'a gate of a graph that was passed holds for any state',
    'src/graph/run/next-graph-step.ts',
    [['return agreed !== undefined && agreed !== stateDigest(frame.values);', 'return false;']],
    decisions,
  ),
  mutant(
    'a gate of a graph that cannot be evaluated lets pass',
    'src/graph/run/next-graph-step.ts',
    [['return result.ok ? result.value : true;', 'return result.ok && result.value;']],
    'test/graph/guards.test.ts',
    'test/graph/run-graph.test.ts',
    'test/graph/answer-cases.test.ts',
  ),
  mutant(
    'an answer is taken for another question of the same node',
    'src/graph/run/body-context.ts',
    [['return jsonEquals(known, [now.payload, now.answerSchema ?? null]);', 'return true;']],
    decisions,
  ),
  mutant(
    'a node that threw on an answer is given it for ever',
    'src/core/graph/evolve-graph.ts',
    [['again.asks.filter((ask) => ask.used === true || ask.begun !== undefined)', 'activation.asks']],
    decisions,
  ),
  mutant(
    'what a restart passes on is not checked',
    'src/engine/check-resume.ts',
    [['(await checkPassedOn(interrupt, resolution.metadata, tool))', 'undefined']],
    checkResume,
  ),
];

export const mutants = [...flushing, ...journal, ...processes, ...engine, ...plans, ...human, ...showing];
