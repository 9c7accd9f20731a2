import type { Actor, Interrupt, JsonValue } from '../../core/index.js';
import { escapeText, HitlError, unescapeText } from '../../core/index.js';
import { interruptNamed, namedAtStart, targetOf } from '../answer/answer-target.js';
import { parseStrictJson } from '../answer/strict-json.js';
import type { Line, LineSource } from './line-source.js';
import type { GivenAnswer } from './scripted-answer.js';
import { badAnswer } from './scripted-answer.js';
import { fittingLines } from '../question/fitting-lines.js';
import * as z from 'zod/mini';

/**
 * Reads a script's stdin as user messages while the session waits for the user, and as answers while
 * interrupts are open.
 */
interface ScriptedLines {
  /** Returns the next user message, or `undefined` at the end of the input. */
  turn(signal: AbortSignal): Promise<string | undefined>;
  /** Returns the next answer, or `undefined` at the end of the input. */
  answer(open: readonly Interrupt[], signal: AbortSignal): Promise<GivenAnswer | undefined>;
}

function placeOf(line: Line): string {
  return `line ${line.number} of stdin`;
}

function actorOf(name: string, line: Line): Actor {
  return { type: 'script', name, via: 'stdin', place: `line ${line.number}` };
}

/**
 * Creates the error for a line that starts with a question id. A line always answers the first open question,
 * so an id is not a valid part of it.
 */
function namedInLine(line: Line, { id, rest }: { readonly id: string; readonly rest: string }): HitlError {
  const given = rest === '' ? '…' : rest;
  return badAnswer(placeOf(line), `\`${id}\` is a question id, not part of an answer`, [
    `--answer ${id}=${given}`,
    `{"interrupt":"${id}",…}`,
  ]);
}

const FENCE = '"""';

/** Reads plain lines, in the order in which a user would type them. */
export class TextLines implements ScriptedLines {
  readonly #lines: LineSource;
  readonly #name: string;
  /** Lines read since an opening `"""`. They are kept if a call is aborted. */
  #block: { readonly from: number; readonly texts: string[] } | undefined;

  constructor(lines: LineSource, name: string) {
    this.#lines = lines;
    this.#name = name;
  }

  async turn(signal: AbortSignal): Promise<string | undefined> {
    for (;;) {
      const line = await this.#lines.next(signal);
      const block = this.#block;
      if (line === undefined) {
        if (block !== undefined) throw unfinished(block.from);
        return undefined;
      }
      const isFence = line.text.trim() === FENCE;
      if (block === undefined && !isFence) return line.text;
      if (block === undefined) this.#block = { from: line.number, texts: [] };
      else if (isFence) {
        this.#block = undefined;
        return asText(block.texts.join('\n'));
      } else block.texts.push(line.text);
    }
  }

  async answer(open: readonly Interrupt[], signal: AbortSignal): Promise<GivenAnswer | undefined> {
    const line = await this.#lines.next(signal);
    if (line === undefined) return undefined;
    const text = line.text.trim();
    const named = namedAtStart(
      text,
      open.map(({ id }) => id),
    );
    if (named !== undefined) throw namedInLine(line, named);
    const json = text.startsWith('{') ? parseStrictJson(text) : undefined;
    const target = targetOf(json?.ok === true ? json.value : undefined, open);
    if (!target.ok) throw badAnswer(placeOf(line), target.message, open.flatMap(fittingLines));
    return {
      interrupt: target.interrupt,
      value: line.text,
      by: actorOf(this.#name, line),
      place: placeOf(line),
    };
  }
}

/** Escapes a message so that it is never read as a slash command. */
function asText(text: string): string {
  return text.startsWith('/') ? `/${text}` : text;
}

function unfinished(from: number): HitlError {
  return new HitlError('BAD_INPUT', `the text that starts with """ on line ${from} of stdin is not closed`, {
    hint: 'end it with a line that contains only """',
  });
}

const FORMS = ['{"type":"message","text":…}', '{"type":"answer","interrupt":…,"answer":…}'];

const Json: z.ZodMiniType<JsonValue> = z.json();

/** A typed JSON line from a script's stdin. */
const TypedLine = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('message'), text: z.string() }),
  z.strictObject({ type: z.literal('answer'), interrupt: z.string().check(z.minLength(1)), answer: Json }),
]);
type TypedLine = z.infer<typeof TypedLine>;

/**
 * Reads JSON lines that state their type. A script that is off by one line therefore never answers the wrong
 * question.
 */
export class TypedLines implements ScriptedLines {
  readonly #lines: LineSource;
  readonly #name: string;

  constructor(lines: LineSource, name: string) {
    this.#lines = lines;
    this.#name = name;
  }

  async turn(signal: AbortSignal): Promise<string | undefined> {
    const next = await this.#next(signal);
    if (next === undefined) return undefined;
    const [line, said] = next;
    if (said.type === 'message') return asText(said.text);
    const why = `it answers \`${escapeText(said.interrupt)}\`, but no question is open`;
    throw badAnswer(placeOf(line), why, FORMS.slice(0, 1));
  }

  async answer(open: readonly Interrupt[], signal: AbortSignal): Promise<GivenAnswer | undefined> {
    const next = await this.#next(signal);
    if (next === undefined) return undefined;
    const [line, said] = next;
    const ids = open.map(({ id }) => escapeText(id)).join(', ');
    if (said.type === 'message')
      throw badAnswer(placeOf(line), `it is a message, but ${ids} is waiting for an answer`, FORMS.slice(1));
    const target = interruptNamed(said.interrupt, open);
    if (!target.ok) throw badAnswer(placeOf(line), target.message, FORMS.slice(1));
    return {
      interrupt: target.interrupt,
      value: said.answer,
      by: actorOf(this.#name, line),
      place: placeOf(line),
    };
  }

  /** Returns the next line that is not blank. */
  async #next(signal: AbortSignal): Promise<readonly [Line, TypedLine] | undefined> {
    for (;;) {
      const line = await this.#lines.next(signal);
      if (line === undefined) return undefined;
      if (line.text.trim() !== '') return [line, readTyped(line)];
    }
  }
}

function readTyped(line: Line): TypedLine {
  const json = parseStrictJson(line.text.trim());
  if (!json.ok) throw badLine(line, unescapeText(json.message));
  const read = TypedLine.safeParse(json.value);
  if (read.success) return read.data;
  throw badLine(
    line,
    read.error.issues
      .map(({ code, path, message }) => {
        if (code === 'invalid_union') return '`type` must be `message` or `answer`';
        return path.length === 0 ? message : `${path.map(String).join('.')}: ${message}`;
      })
      .join('; '),
  );
}

function badLine(line: Line, why: string): HitlError {
  return new HitlError('BAD_INPUT', `${placeOf(line)}: ${why}`, {
    hint: `each line is ${FORMS.join(' or ')}`,
    detail: { line: line.number },
  });
}
