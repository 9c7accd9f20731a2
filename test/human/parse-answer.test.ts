import { describe, expect, test } from 'vitest';

import type { Interrupt, JsonValue } from '../../src/core/index.js';
import { parseAnswer, parseAnswerValue } from '../../src/human/index.js';
import { callInterrupt, interruptOf, question, TRANSFER } from './open-interrupt.js';

const CALL = callInterrupt({ to: 'ABC123', amount: 200 });
function gate(phase: 'before' | 'after'): Interrupt {
  return interruptOf({
    kind: 'gate',
    source: { type: 'node', nodeId: 'review', visit: 1, phase },
    payload: { prompt: 'go on?' },
  });
}
const GATE = gate('before');
const DOUBT = callInterrupt({ to: 'ABC123', amount: 200 }, { kind: 'in-doubt', raisedBy: 'engine' });
const FAILED = callInterrupt({ to: 'ABC123', amount: 200 }, { kind: 'error', raisedBy: 'engine' });
const PAUSE = interruptOf({ kind: 'pause', source: { type: 'run' }, payload: { by: 'ann' } });

function limit(name: string): Interrupt {
  return interruptOf({ kind: 'limit', source: { type: 'run' }, payload: { limit: name, max: 5, spent: 5 } });
}

/** What a line means: the answer, or the reason why it means none. */
function read(line: string, interrupt: Interrupt = CALL): unknown {
  const parsed = parseAnswer(line, { interrupt, tool: TRANSFER });
  return parsed.ok ? parsed.answer : parsed.message;
}

describe('an answer line at a confirmation', () => {
  test.for(['y', 'Y', 'yes', 'YES', 'approve', 'continue', ' y ', 'y\t'])(
    '%j approves the shown input',
    (line) => {
      expect(read(line)).toEqual({ resolution: { action: 'restart' } });
    },
  );

  test.for(['call', 'tool'] as const)('an approval in JSON says how much `always` is about: %s', (always) => {
    expect(read(JSON.stringify({ action: 'restart', always }))).toEqual({
      resolution: { action: 'restart' },
      always,
    });
  });

  test.for(['call', 'tool'] as const)('so does a line: always %s', (size) => {
    expect([read(`always ${size}`), read(`w ${size}`)]).toEqual(
      Array.from({ length: 2 }, () => ({ resolution: { action: 'restart' }, always: size })),
    );
  });

  test('`always` approves and asks for the rule', () => {
    expect(read('always')).toEqual({ resolution: { action: 'restart' }, always: true });
  });

  test.for([
    ['y and use the savings account', { action: 'restart', note: 'use the savings account' }],
    ['yes and: then stop', { action: 'restart', note: 'then stop' }],
    ['n', { action: 'reject' }],
    ['no', { action: 'reject' }],
    ['reject', { action: 'reject' }],
    ['n wrong account', { action: 'reject', reason: 'wrong account' }],
    ['no: wrong account', { action: 'reject', reason: 'wrong account' }],
    ['reject:wrong account', { action: 'reject', reason: 'wrong account' }],
    ['c', { action: 'cancel' }],
    ['cancel changed my mind', { action: 'cancel', reason: 'changed my mind' }],
    ['/cancel', { action: 'cancel' }],
    ['e {"to":"ABC123","amount":150}', { action: 'restart', input: { to: 'ABC123', amount: 150 } }],
    ['edit +{"amount":150}', { action: 'restart', input: { to: 'ABC123', amount: 150 } }],
    ['edit {"amount":200,"to":"ABC123"}', { action: 'restart' }],
    ['a {"moved":150}', { action: 'respond', output: { moved: 150 } }],
    ['answer it is done', { action: 'respond', output: 'it is done' }],
    ['respond 0', { action: 'respond', output: 0 }],
    ['a ""', { action: 'respond', output: '' }],
    ['a false', { action: 'respond', output: false }],
    ['a null', { action: 'respond', output: null }],
    ['{"action":"restart"}', { action: 'restart' }],
    ['{"action":"approve"}', { action: 'restart' }],
    [
      '{"action":"restart","input":{"to":"B","amount":1}}',
      { action: 'restart', input: { to: 'B', amount: 1 } },
    ],
    [
      '{"interrupt":"i1","tool":"transfer","action":"reject","reason":"no"}',
      { action: 'reject', reason: 'no' },
    ],
  ] as const)('%j', ([line, resolution]) => {
    expect(read(line)).toEqual({ resolution });
  });

  test.for([CALL.digest, CALL.digest.slice(0, 8)])(
    'that names what was shown as %j says so: it need not be named again (A10)',
    (digest) => {
      const named = { resolution: { action: 'restart' }, digest };
      expect(read(JSON.stringify({ action: 'restart', digest }))).toEqual(named);
    },
  );

  test.for([
    ['', 'empty answer'],
    ['   ', 'empty answer'],
    ['maybe', '“maybe”'],
    ['ja', '“ja”'],
    ['yes!', '“yes!”'],
    ['no, wrong account', '“no, wrong account”'],
    ['y but only 100', '`y` accepts no value'],
    ['y and', '`y` accepts no value'],
    ['always please', '`always` accepts no value'],
    ['retry', '`retry` is not available here'],
    ['skip', '`skip` is not available here'],
    ['extend 3', '`extend` is not available here'],
    ['e', 'requires JSON input'],
    ['edit {"to":"B"', 'requires JSON input'],
    ['edit {"to":"B","amount":0}', 'invalid input: amount'],
    ['edit {"to":"B","amount":1,"x":2}', 'invalid input'],
    ['edit {"to":"B","to":"C","amount":1}', 'duplicate key'],
    ['edit +[1]', 'requires a JSON object'],
    ['a', 'needs the result'],
    ['a {"moved":', 'invalid JSON'],
    ['/help', 'to send text that starts with'],
    ['{"action":"restrat"}', 'needs a known `action`'],
    ['{"action":"restart"', 'invalid JSON'],
    ['{"action":"restart","inptu":{}}', 'unknown property `inptu` of `restart`'],
    ['{"action":"restart","shown":{"input":1}}', 'unknown property `shown` of `restart`'],
    ['{"action":"respond","output":1,"verbatim":{}}', 'unknown property `verbatim` of `respond`'],
    ['{"action":"reject","reason":1}', '`reason` must be a string'],
    ['{"action":"restart","digest":"00"}', 'a different input'],
    ['{"action":"restart","input":{"to":"B"}}', 'amount'],
    ['{"action":"restart","input":{"to":"B","amount":1},"always":true}', 'only works with a plain approval'],
    ['{"action":"restart","always":"host"}', '`always host` does not apply'],
    ['{"action":"restart","always":"all"}', 'must be true, false or one of call'],
    ['{"action":"respond"}', 'output'],
    ['\u001b[Ay', '“\\u{1B}[Ay”'],
  ] as const)('refuses %j', ([line, why]) => {
    expect(read(line)).toEqual(expect.stringContaining(why));
  });

  test('says what would fit', () => {
    expect(parseAnswer('maybe', { interrupt: CALL })).toEqual({
      ok: false,
      message: 'invalid answer to transfer (i1): “maybe”',
      fits: ['y', 'edit {json}', 'n [reason]', 'answer {json or text}', 'cancel [reason]'],
    });
  });

  test('checks an answer in its place against what the tool returns', () => {
    const interrupt = callInterrupt(
      {},
      { answerSchema: { type: 'object', properties: { moved: { type: 'number' } } } },
    );
    expect(read('a {"moved":1}', interrupt)).toEqual({
      resolution: { action: 'respond', output: { moved: 1 } },
    });
    expect(read('a {"moved":"x"}', interrupt)).toMatch(
      /^invalid answer to transfer \(i1\): moved: expected number/u,
    );
    expect(read('a done', interrupt)).toContain('expected object');
  });

  test('offers only what the interrupt allows', () => {
    const narrowed: Interrupt = { ...CALL, allowed: ['reject'] };
    expect(read('y', narrowed)).toContain('`approve` is not available here');
    expect(read('c', narrowed)).toContain('`cancel` is not available here');
    expect(read('{"action":"restart"}', narrowed)).toContain('`approve` is not available here');
    expect(read('e {"to":"B","amount":1}', narrowed)).toContain('`edit` is not available here');
    expect(read('n', narrowed)).toEqual({ resolution: { action: 'reject' } });
  });

  test('merging keeps members that are not named, also nested ones, and a null is a value', () => {
    const interrupt = callInterrupt({ to: { name: 'Ann', city: 'Oslo' }, tags: [1, 2] });
    const parsed = parseAnswer('edit +{"to":{"city":null},"tags":[3]}', { interrupt });
    expect(parsed).toEqual({
      ok: true,
      answer: { resolution: { action: 'restart', input: { to: { name: 'Ann', city: null }, tags: [3] } } },
    });
  });
});

describe('an answer line after a crash or an error', () => {
  test.for(['y', 'yes', 'approve', 'continue', '{"action":"approve"}'])(
    'law 7: %j does not say whether it happened or failed',
    (line) => {
      expect(read(line, DOUBT)).toContain('is ambiguous here');
      expect(read(line, FAILED)).toContain('is ambiguous here');
    },
  );

  test.for([
    ['retry', { action: 'retry' }],
    ['answer {"moved":200}', { action: 'respond', output: { moved: 200 } }],
    ['n it bounced', { action: 'reject', reason: 'it bounced' }],
    ['cancel', { action: 'cancel' }],
  ] as const)('%j answers a doubt', ([line, resolution]) => {
    expect(read(line, DOUBT)).toEqual({ resolution });
  });

  test('law 7: a restart does not answer a doubt', () => {
    expect(read('{"action":"restart"}', DOUBT)).toContain('`approve` is not available here');
    expect(read('edit {"to":"B","amount":1}', DOUBT)).toContain('`edit` is not available here');
    expect(parseAnswer('y', { interrupt: DOUBT })).toMatchObject({
      fits: ['answer {json or text}', 'retry', 'n [words]', 'cancel [reason]'],
    });
  });

  test('an error is retried, edited or told to the model', () => {
    expect(read('retry', FAILED)).toEqual({ resolution: { action: 'retry' } });
    expect(read('edit +{"amount":5}', FAILED)).toEqual({
      resolution: { action: 'restart', input: { to: 'ABC123', amount: 5 } },
    });
    expect(read('n', FAILED)).toEqual({ resolution: { action: 'reject' } });
  });
});

describe('an answer line at a gate, a pause and a limit', () => {
  test.for([
    ['y', { action: 'continue' }],
    ['continue', { action: 'continue' }],
    ['skip', { action: 'skip' }],
    ['rerun', { action: 'rerun' }],
    ['rerun use metric units', { action: 'rerun', guidance: 'use metric units' }],
    ['go-back', { action: 'go-back' }],
    ['go-back 2', { action: 'go-back', steps: 2 }],
    ['go_back draft', { action: 'go-back', to: 'draft' }],
    ['update-state {"draft":"x"}', { action: 'update-state', patch: { draft: 'x' } }],
    ['update_state {"draft":0}', { action: 'update-state', patch: { draft: 0 } }],
    ['change_condition {"ok":true}', { action: 'change-condition', patch: { ok: true } }],
    ['defer check the tone', { action: 'defer', note: 'check the tone' }],
    ['{"action":"go_back","steps":1}', { action: 'go-back', steps: 1 }],
    ['{"action":"goto","node":"draft"}', { action: 'goto', node: 'draft' }],
    ['{"action":"edit-input","value":{"text":"x"}}', { action: 'edit-input', value: { text: 'x' } }],
    ['n not like this', { action: 'reject', reason: 'not like this' }],
    ['e {"draft":"x"}', { action: 'update-state', patch: { draft: 'x' } }],
    ['edit {"draft":"x"}', { action: 'update-state', patch: { draft: 'x' } }],
    ['edit-input {"text":"x"}', { action: 'edit-input', value: { text: 'x' } }],
    ['goto draft', { action: 'goto', node: 'draft' }],
    ['defer fix it then ship', { action: 'defer', note: 'fix it then ship' }],
    [
      'update-state {"draft":"now then later"} then continue',
      {
        action: 'sequence',
        actions: [{ action: 'update-state', patch: { draft: 'now then later' } }, { action: 'continue' }],
      },
    ],
    [
      '{"action":"sequence","actions":[{"action":"edit-output","value":1},{"action":"skip"}]}',
      { action: 'sequence', actions: [{ action: 'edit-output', value: 1 }, { action: 'skip' }] },
    ],
  ] as const)('%j', ([line, resolution]) => {
    expect(read(line, GATE)).toEqual({ resolution });
  });

  test.for([
    ['always', '`always` is not available here'],
    ['edit {}', 'changes nothing'],
    ['update-state {"a":1} then', 'invalid JSON'],
    ['update-state {"a":1} then maybe', 'invalid JSON'],
    ['edit-output 0', '`edit output` is not available here'],
    ['a 7', '`provide result` is not available here'],
    ['pause', '`pause` is not available here'],
    ['goto', 'needs a node'],
    ['go-back 0', 'steps must be 1..1000'],
    ['update-state [1]', 'requires a JSON object'],
    ['defer', 'needs a note'],
    ['skip it', 'accepts no value'],
  ] as const)('refuses %j', ([line, why]) => {
    expect(read(line, GATE)).toContain(why);
  });

  test('behind a node its output may be edited, and there is nothing to skip', () => {
    expect(read('edit-output {"text":"x"}', gate('after'))).toEqual({
      resolution: { action: 'edit-output', value: { text: 'x' } },
    });
    expect(read('o short and plain', gate('after'))).toEqual({
      resolution: { action: 'edit-output', value: 'short and plain' },
    });
    expect(read('skip', gate('after'))).toContain('`skip` is not available here');
    expect(read('{"action":"edit-output","value":0}', gate('after'))).toEqual({
      resolution: { action: 'edit-output', value: 0 },
    });
  });

  test('a pause goes on, takes guidance, or ends', () => {
    expect(read('y', PAUSE)).toEqual({ resolution: { action: 'continue' } });
    expect(read('rerun be brief', PAUSE)).toEqual({ resolution: { action: 'rerun', guidance: 'be brief' } });
    expect(read('cancel', PAUSE)).toEqual({ resolution: { action: 'cancel' } });
  });

  test.for([
    ['turns', 'extend 5', 5],
    ['cost', 'extend 0.5', 0.5],
    ['cost', 'extend $2', 2],
    ['time', 'extend 90s', 90_000],
    ['time', 'extend 10m', 600_000],
    ['time', 'extend 90', 90_000],
    ['time', 'extend 2h', 7_200_000],
    ['iterations', 'extend 3', 3],
    ['turns', '{"action":"extend","by":3}', 3],
  ] as const)('at the limit of %s, %j moves it', ([name, line, by]) => {
    expect(read(line, limit(name))).toEqual({ resolution: { action: 'extend', by } });
  });

  test.for([
    ['turns', 'y'],
    ['turns', 'extend'],
    ['turns', 'extend 0'],
    ['turns', 'extend -1'],
    ['turns', 'extend 1.5'],
    ['turns', 'extend 1001'],
    ['turns', 'extend 5m'],
    ['turns', 'extend $5'],
    ['cost', 'extend 99999'],
    ['time', 'extend 31d'],
    ['time', 'extend 60000'],
    ['turns', 'extend 1e3'],
    ['turns', 'extend \u0665'],
  ] as const)('at the limit of %s, %j does not', ([name, line]) => {
    expect(parseAnswer(line, { interrupt: limit(name) }).ok).toBe(false);
  });
});

test('a number that was milliseconds before is refused with both readings (adopter 5)', () => {
  expect(parseAnswer('extend 60000', { interrupt: limit('time') })).toMatchObject({
    ok: false,
    message:
      'invalid answer to the limit (i1): 60000 meant milliseconds in version 0.1 but now means seconds; write 1m or 16h40m',
  });
});

describe('an answer line at a question', () => {
  const free = question({ question: 'What should I buy?' }, { type: 'string' });

  test.for([
    'milk',
    'y',
    'no',
    'n',
    'retry',
    'reject everything',
    'a cup of tea',
    'c is my favourite',
    '42',
    '"quoted"',
    '[draft] notes',
    'edit the file',
    '{not json',
  ])('%j is the answer itself', (line) => {
    expect(read(line, free)).toEqual({ resolution: { action: 'respond', output: line } });
  });

  test.for([
    ['//etc/hosts', '/etc/hosts'],
    ['answer cancel', 'cancel'],
    ['respond "quoted"', 'quoted'],
    ['a "json"', 'json'],
    ['answer {"action":"x"}', '{"action":"x"}'],
    ['{"action":"respond","output":"c"}', 'c'],
  ] as const)('%j answers %j', ([line, output]) => {
    expect(read(line, free)).toEqual({ resolution: { action: 'respond', output } });
  });

  test.for(['/cancel', 'cancel', 'c', '{"action":"cancel"}'])('%j cancels', (line) => {
    expect(read(line, free)).toEqual({ resolution: { action: 'cancel' } });
  });

  test.for([
    '',
    '/help',
    '{"action":"respond","output":}',
    '{"action":"respnd","output":"x"}',
    '{"action":"restart"}',
  ])('refuses %j', (line) => {
    expect(parseAnswer(line, { interrupt: free }).ok).toBe(false);
  });

  test('takes text where nothing says what the answer must be', () => {
    expect(read('42', question('How many?'))).toEqual({ resolution: { action: 'respond', output: '42' } });
  });

  test.for([
    ['yes', true],
    ['N', false],
    ['true', true],
  ] as const)('%j is yes or no', ([line, output]) => {
    expect(read(line, question('Sure?', { type: 'boolean' }))).toEqual({
      resolution: { action: 'respond', output },
    });
  });

  test('reads numbers by the schema', () => {
    const count = question('How many?', { type: 'integer', minimum: 1 });
    expect(read('3', count)).toEqual({ resolution: { action: 'respond', output: 3 } });
    expect(read('0', count)).toContain('invalid answer');
    expect(read('three', count)).toContain('invalid answer');
    expect(read('yes', count)).toContain('invalid answer');
  });

  test('reads a form as JSON', () => {
    const form = question('Who?', {
      type: 'object',
      properties: { name: { type: 'string' }, age: { type: 'number' } },
      required: ['name'],
      additionalProperties: false,
    });
    expect(read('{"name":"Ann","age":0}', form)).toEqual({
      resolution: { action: 'respond', output: { name: 'Ann', age: 0 } },
    });
    expect(read('{"name":7}', form)).toContain('name: expected string');
    expect(read('Ann', form)).toContain('expected object');
  });
});

describe('an answer line at a question with choices', () => {
  const colours = question(
    {
      question: 'Which?',
      choices: [
        { label: 'Red wine', value: 'red' },
        { label: 'Blue', value: 'blue' },
      ],
    },
    { type: 'string', enum: ['red', 'blue'] },
  );

  test.for([
    ['1', 'red'],
    ['2', 'blue'],
    ['red', 'red'],
    ['Red wine', 'red'],
    ['BLUE', 'blue'],
    ['answer 2', 'blue'],
    ['answer Blue', 'blue'],
  ] as const)('%j chooses %j', ([line, output]) => {
    expect(read(line, colours)).toEqual({ resolution: { action: 'respond', output } });
  });

  test.for(['0', '3', 'green', 'y', '1,2', 'answer green', '01'])('refuses %j', (line) => {
    expect(parseAnswer(line, { interrupt: colours })).toMatchObject({
      ok: false,
      fits: ['a number from 1 to 2', 'the answer', '/cancel'],
    });
  });

  test('takes several', () => {
    const several = question(
      { question: 'Which?', choices: ['red', 'blue', 'red, white'], multiple: true },
      { type: 'array', items: { type: 'string' } },
    );
    expect(read('1, blue', several)).toEqual({ resolution: { action: 'respond', output: ['red', 'blue'] } });
    expect(read('red, white', several)).toEqual({
      resolution: { action: 'respond', output: ['red, white'] },
    });
    expect(read('["blue"]', several)).toEqual({ resolution: { action: 'respond', output: ['blue'] } });
    expect(read('1,9', several)).toContain('“9” is not one of the choices');
  });

  test('takes another text where that is allowed, and words of ours stay words', () => {
    const open = question({ question: 'Which?', choices: ['red'], allowOther: true }, { type: 'string' });
    expect(read('green', open)).toEqual({ resolution: { action: 'respond', output: 'green' } });
    expect(read('cancel', open)).toEqual({ resolution: { action: 'cancel' } });
  });

  test('a choice that is called like a word of ours is the choice', () => {
    const words = question({ question: 'Which?', choices: ['cancel', 'go on'] });
    expect(read('cancel', words)).toEqual({ resolution: { action: 'respond', output: 'cancel' } });
    expect(read('/cancel', words)).toEqual({ resolution: { action: 'cancel' } });
  });

  test('a number that is also the text of another choice is not guessed at', () => {
    const numbers = question({ question: 'How many?', choices: ['2', '1'] });
    expect(read('1', numbers)).toContain('more than one choice');
    expect(read('{"action":"respond","output":"1"}', numbers)).toEqual({
      resolution: { action: 'respond', output: '1' },
    });
  });
});

describe('an answer that is JSON already', () => {
  function value(given: JsonValue, interrupt: Interrupt): unknown {
    const parsed = parseAnswerValue(given, { interrupt, tool: TRANSFER });
    return parsed.ok ? parsed.answer.resolution : parsed.message;
  }

  test('is an answer line, a resolution, or at a question the answer', () => {
    expect(value('y', CALL)).toEqual({ action: 'restart' });
    expect(value({ action: 'reject' }, CALL)).toEqual({ action: 'reject' });
    expect(value(0, question('How many?', { type: 'number' }))).toEqual({ action: 'respond', output: 0 });
    expect(value([], question('Which?'))).toEqual({ action: 'respond', output: [] });
  });

  test('is refused where it is neither', () => {
    expect(value(0, CALL)).toContain('neither a resolution nor an answer line');
    expect(value({ amount: 1 }, CALL)).toContain('neither a resolution nor an answer line');
    expect(value(0, question('Name?', { type: 'string' }))).toContain('expected string');
  });

  test.for([0, '', false, null, []])('keeps %j as an output', (output) => {
    expect(value({ action: 'respond', output }, CALL)).toEqual({ action: 'respond', output });
  });
});
