import type {
  ControlVerb,
  MessagePriority,
  OutsideEvent,
  Resolution,
  SessionId,
  SessionStore,
  Shown,
} from '../src/core/index.js';
import {
  count,
  checkTakesMessages,
  escapeText,
  HitlError,
  isJsonObject,
  isoTime,
  openInterrupts,
  parseStrictJson,
  present,
  shown,
} from '../src/core/index.js';
import { actionNamed, readResolution } from '../src/human/index.js';
import { messageTable } from '../src/render/index.js';
import { personHere, printJson, tell } from './host/index.js';
import { stdoutTable } from './screen/theme.js';
import { readAll } from './input/first-text.js';
import type { Io } from './host/index.js';
import type { SessionFlags } from './flags/options.js';
import { openStore } from './store/store.js';

/** How long to wait for the queue's lock, in milliseconds. */
const LOCKED_MS = 10_000;

interface SendFlags extends SessionFlags {
  readonly action?: string;
  readonly params?: string;
  readonly event?: string;
  readonly data?: string;
  readonly priority?: MessagePriority;
  readonly target?: string;
  readonly id?: string;
  /** Milliseconds. */
  readonly expires?: number;
}

/**
 * `hitl send`: sends a message to a session from any terminal. The message is delivered at the next safe
 * point.
 */
export async function send(
  io: Io,
  given: string,
  words: readonly string[],
  flags: SendFlags,
): Promise<number> {
  const store = openStore(io, flags);
  const id = await store.resolve(given);
  await refuseWhereOver(store, id);
  const action = actionOf(flags);
  const event = eventOf(flags, words);
  const text = event === undefined ? await textOf(io, words, action) : `event ${event.name}`;
  const { priority, target, id: messageId, expires } = flags;
  const sent = await store.mail(id).send(
    {
      text,
      from: personHere(io, 'answer'),
      ...present({ action, event, priority, target, id: messageId }),
      ...(expires !== undefined && { expiresAt: isoTime(io.clock.now() + expires) }),
    },
    {},
    AbortSignal.timeout(LOCKED_MS),
  );
  if (flags.json === true) printJson(io, { session: id, ...sent });
  else if (flags.quiet !== true) {
    tell(io.stderr, shown`${sent.isNew ? shown`Sent` : shown`Already sent`}${await whenOf(store, id)}.`);
  }
  return 0;
}

/** @throws HitlError BAD_INPUT if the session no longer accepts messages. */
async function refuseWhereOver(store: SessionStore, id: SessionId): Promise<void> {
  await using session = await store.open(id, 'read');
  checkTakesMessages(id, session.state);
}

/**
 * Returns the message text from the command line, or from stdin for `-`. If there is no text, returns the
 * name of the action.
 */
async function textOf(io: Io, words: readonly string[], action: Resolution | undefined): Promise<string> {
  const text = words.join(' ');
  if (text === '-') return readAll(io);
  if (text !== '') return text;
  if (action !== undefined) return action.action;
  throw new HitlError('USAGE', 'missing message', { hint: "hitl send <id> 'mention the new price'" });
}

/** @throws HitlError USAGE for an invalid action or parameter. */
function actionOf({ action, params }: SendFlags): Resolution | undefined {
  if (action === undefined) {
    if (params === undefined) return undefined;
    throw new HitlError('USAGE', '`--params` requires `--action`', {
      hint: '--action go-back --params \'{"steps":1}\'',
    });
  }
  const name = actionNamed(action);
  const json = params === undefined ? undefined : parseStrictJson(params);
  if (json?.ok === false) throw new HitlError('USAGE', `\`--params\` is not JSON: ${json.message}`);
  const members = json === undefined ? {} : json.value;
  const read =
    name === undefined || !isJsonObject(members) ? undefined : readResolution({ ...members, action: name });
  if (read?.ok === true) return read.value;
  const why =
    name === undefined
      ? `unknown action \`${action}\``
      : read === undefined
        ? '`--params` requires a JSON object'
        : `invalid \`${action}\`: ${read.why}`;
  throw new HitlError('USAGE', why, {
    hint: 'for example: --action skip, --action go-back --params \'{"steps":1}\', --action update-state --params …',
  });
}

/** Parses an external event. @throws HitlError USAGE if it is invalid. */
function eventOf(
  { event: name, data, action, target }: SendFlags,
  words: readonly string[],
): OutsideEvent | undefined {
  if (name === undefined) {
    if (data === undefined) return undefined;
    throw new HitlError('USAGE', '`--data` requires `--event`', {
      hint: '--event build --data \'{"ok":true}\'',
    });
  }
  if (action !== undefined || target !== undefined || words.length > 0)
    throw new HitlError(
      'USAGE',
      '`--event` can only be combined with `--data`, not with text, action or target',
      {
        hint: '--event build --data \'{"ok":true}\'',
      },
    );
  const json = data === undefined ? undefined : parseStrictJson(data);
  if (json?.ok === false) throw new HitlError('USAGE', `\`--data\` is not JSON: ${json.message}`);
  return { name, data: json?.value ?? null };
}

/** Describes when the message will be delivered. */
async function whenOf(store: SessionStore, id: SessionId): Promise<Shown> {
  return (await store.isWritten(id))
    ? shown`; delivered after the current step`
    : shown`; the session is not running, so it is delivered on resume`;
}

/** `hitl pause`: stops the run at its next safe point and asks how to continue. */
export const pause = controls('pause');

/**
 * `hitl cancel`: stops the run immediately, even while it is waiting for a model. The session can be resumed.
 */
export const cancel = controls('cancel');

function controls(verb: ControlVerb) {
  return async (io: Io, given: string, words: readonly string[], flags: SessionFlags): Promise<number> => {
    const store = openStore(io, flags);
    const id = await store.resolve(given);
    const reason = words.length > 0 ? words.join(' ') : undefined;
    const runs = await store.isWritten(id);
    if (verb === 'cancel' && !runs) {
      await using session = await store.open(id, 'read');
      const [open] = openInterrupts(session.state);
      throw new HitlError('NOTHING_TO_RESUME', `session ${id} is not running; nothing to cancel`, {
        hint:
          open === undefined
            ? `hitl show ${id}`
            : `it is waiting: hitl answer ${id} --interrupt ${open.id} cancel`,
      });
    }
    const sent = await store
      .mail(id)
      .control(
        { verb, from: personHere(io, 'answer'), ...(reason !== undefined && { reason }) },
        AbortSignal.timeout(LOCKED_MS),
      );
    if (flags.json === true) printJson(io, { session: id, verb, ...sent });
    else if (flags.quiet !== true) {
      const when = verb === 'cancel' ? shown`Cancelling now.` : shown`Pausing after the current step.`;
      tell(io.stderr, runs ? when : shown`The session is not running; it pauses on resume.`);
    }
    return 0;
  };
}

interface QueueFlags extends SessionFlags {
  readonly page?: number;
  readonly pageSize?: number;
  readonly after?: string;
  readonly clear?: boolean;
  readonly remove?: readonly string[];
  readonly metrics?: boolean;
}

/**
 * `hitl queue`: lists the queued messages in pages. `--clear` and `--remove` remove messages from the queue.
 */
export async function queue(io: Io, given: string, flags: QueueFlags): Promise<number> {
  const store = openStore(io, flags);
  const id = await store.resolve(given);
  const messages = store.mail(id);
  if (flags.clear === true || flags.remove !== undefined) {
    const which = flags.clear === true ? 'all' : (flags.remove ?? []);
    const removed = await messages.withdraw(which, AbortSignal.timeout(LOCKED_MS));
    const missing = which === 'all' ? [] : which.filter((one) => !removed.includes(one));
    if (flags.json === true) printJson(io, { session: id, removed });
    else if (flags.quiet !== true && removed.length > 0)
      tell(io.stderr, shown`Removed ${count(removed.length, 'message')}`);
    if (missing.length === 0) return 0;
    throw new HitlError('USAGE', `not in the queue: ${missing.join(', ')}`, {
      hint: 'already delivered, or never sent (see hitl queue)',
    });
  }
  if (flags.metrics === true) {
    printJson(io, { session: id, ...(await messages.metrics()) });
    return 0;
  }
  const { page, pageSize, after } = flags;
  const found = await messages.list(present({ page, pageSize, after }));
  if (flags.json === true) {
    printJson(io, { session: id, ...found });
    return 0;
  }
  if (found.total === 0 && flags.quiet !== true) tell(io.stderr, shown`No queued messages.`);
  io.stdout.write(messageTable(found.items, { ...stdoutTable(io, flags.color), now: io.clock.now() }));
  if (found.next !== undefined && flags.quiet !== true)
    tell(
      io.stderr,
      shown`${found.total} queued; next page: hitl queue ${id} --after ${escapeText(found.next)}`,
    );
  return 0;
}
