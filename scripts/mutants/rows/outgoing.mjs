// What is told to receivers elsewhere: when, once under one name, and where nothing may lead.

import { mutant } from '../mutant.mjs';

const plan = 'test/core/deliveries.test.ts';
const webhook = 'test/outgoing/webhook.test.ts';
const post = 'test/outgoing/post.test.ts';
const mail = 'test/outgoing/mail.test.ts';
const slack = 'test/outgoing/slack-value.test.ts';
const store = 'test/contracts/session-store.test.ts';

export const outgoing = [
  mutant(
    'a question about which nothing is noted is not told',
    'src/core/delivery/plan.ts',
    [["isMeant(item, channel) ? [{ type: 'raise', item }] : []; // Q1", '[];']],
    plan,
  ),
  mutant(
    'what somebody else is sending is sent',
    'src/core/delivery/plan.ts',
    [['return isTimed(note) && timeOf(note.at) <= now;', 'return isTimed(note);']],
    plan,
  ),
  mutant(
    'what was left to a person is sent again',
    'src/core/delivery/plan.ts',
    [["return state === 'sending' || state === 'waiting';", "return state !== 'sent';"]],
    plan,
  ),
  mutant(
    'a receiver that was told nothing hears of the answer',
    'src/core/delivery/plan.ts',
    [['tellsResolved && mayHaveArrived', 'tellsResolved']],
    plan,
  ),
  mutant(
    'a message has another name at each try',
    'src/core/delivery/noting.ts',
    [
      [
        "message: messageName(question, 'interrupt.raised'),",
        "message: messageName({ ...question, digest: `${digest}${was?.revision ?? ''}` }, 'interrupt.raised'),",
      ],
    ],
    plan,
  ),
  mutant(
    'a message is tried for ever',
    'src/core/delivery/noting.ts',
    [['forGood || taken.attempts >= MOST_TRIES', 'forGood']],
    plan,
  ),
  mutant(
    'whoever is not the first to note sends, too',
    'src/outgoing/deliver.ts',
    [['if (!(await book.put(note))) return {}; // O1', 'await book.put(note);']],
    webhook,
  ),
  mutant(
    'a question is told that was answered since it was planned',
    'src/outgoing/deliver.ts',
    [['return question?.interrupt.digest === digest\n', 'return question?.interrupt !== null\n']],
    webhook,
  ),
  mutant(
    'a receiver that is away is tried with all that waits',
    'src/outgoing/deliver.ts',
    [['if (failures < MOST_FAILURES) continue;', 'if (true) continue;']],
    webhook,
  ),
  mutant(
    'a failure of a receiver ends the sending',
    'src/outgoing/deliver.ts',
    [["\n        .catch((thrown: unknown) => ({ type: 'failed', why: messageOf(thrown) }) as const)", '']],
    webhook,
  ),
  mutant(
    'any note takes the place of another',
    'sessions/delivery-book.ts',
    [['return revision === (before?.revision ?? 0) + 1;', 'return true;']],
    store,
  ),
  mutant(
    'two processes get the same revision of a note',
    'sessions/file-deliveries.ts',
    [['if (!isExpected(this.#read(key))) return false;\n        await change', 'await change']],
    store,
  ),
  mutant(
    'a private address is connected to',
    'src/outgoing/outgoing-address.ts',
    [['if (!isListed && (isIP(address) === 0 || hostWarnings(address).length > 0))', 'if (false)']],
    post,
  ),
  mutant(
    'an address without encryption is connected to',
    'src/outgoing/outgoing-address.ts',
    [["if (url.protocol === 'http:' && !(isListed && LOOPBACK.check(address, family)))", 'if (false)']],
    post,
  ),
  mutant(
    'an address in the place of a name is not looked at',
    'src/outgoing/guarded-request.ts',
    [['isIP(literal) === 0 ? undefined : refuse(literal)', 'undefined as Refused | undefined']],
    post,
  ),
  mutant(
    'of several addresses of a name the first one is looked at',
    'src/outgoing/guarded-request.ts',
    [
      [
        'addresses.map(({ address }) => refuse(address))',
        'addresses.slice(0, 1).map(({ address }) => refuse(address))',
      ],
    ],
    post,
  ),
  mutant(
    'what is connected in the end is not looked at',
    'src/outgoing/guarded-request.ts',
    [
      [
        "const refused = refuse(socket.remoteAddress ?? ''); // P1",
        'const refused = undefined as Refused | undefined;',
      ],
    ],
    post,
  ),
  mutant(
    'an answer is read without an end',
    'src/outgoing/post.ts',
    [['else answered();\n  });', '});']],
    post,
  ),
  mutant(
    'a redirect is tried again',
    'src/outgoing/send-outcome.ts',
    [
      [
        'status < SERVER_FAULT && !LATER.has(status)',
        'status >= 400 && status < SERVER_FAULT && !LATER.has(status)',
      ],
    ],
    webhook,
  ),
  mutant(
    'a signature is not about the name and the time',
    'src/outgoing/webhook.ts',
    [['.update(`${id}.${timestamp}.${body}`)', '.update(body)']],
    webhook,
  ),
  mutant(
    'the state of a workflow leaves the machine',
    'src/outgoing/webhook.ts',
    [['return { ...shown, payload };', 'return shown;']],
    webhook,
  ),
  mutant(
    'a password goes to a mail server in the clear',
    'src/outgoing/send-mail.ts',
    [["protocol === 'smtps:' ||", "protocol === 'smtp:' ||"]],
    mail,
  ),
  mutant(
    'the words of a mail server are told',
    'src/outgoing/send-mail.ts',
    [['why: `the mail server says ${code}`', 'why: `the mail server says ${String(thrown)}`']],
    mail,
  ),
  mutant(
    'a button is about whatever it says',
    'src/outgoing/slack-value.ts',
    [["typeof session === 'string' && isSessionId(session)", "typeof session === 'string'"]],
    slack,
  ),
];
