import type { JsonObject, JsonValue } from '../../../src/core/index.js';
import { isJsonArray } from '../../../src/core/index.js';
import type { Rule } from './rule.js';
import { oneCall } from './rule.js';
import { block, memberOf, valueText } from './say.js';

/** A form of sentence that requests one tool call. */
interface Task {
  readonly form: RegExp;
  readonly tool: string;
  readonly input: (groups: Groups) => JsonObject;
  /** The verb, and the noun that precedes the object: `list` and `listing`. */
  readonly words: readonly [verb: string, noun: string];
  /** Describes the object of the call. Its input may have been edited. */
  readonly subject: (input: JsonValue) => string;
  readonly report: (output: JsonValue, subject: string) => string;
}

type Groups = Readonly<Record<string, string | undefined>>;

const FILE = String.raw`(?:the\s+)?(?:file\s+)?(?<path>"[^"]+"|[^\s"]+?)\s*[?.!]?`;

function form(text: string): RegExp {
  return new RegExp(`^${text}$`, 'isu');
}

function bare(text = ''): string {
  return /^(?<quote>["'${'`'}])(?<inner>.*)\k<quote>$/su.exec(text.trim())?.groups?.['inner'] ?? text.trim();
}

function pathOf(input: JsonValue): string {
  return `\`${valueText(memberOf(input, 'path') ?? '?')}\``;
}

/** Formats a list of folder entries or of lines in files. */
function listed(output: JsonValue): string {
  const list = memberOf(output, 'entries') ?? memberOf(output, 'matches') ?? output;
  if (!isJsonArray(list)) return block(list);
  const more = memberOf(output, 'more') === true ? ['… and more'] : [];
  return block([...list.map(entryLine), ...more].join('\n') || '(nothing)');
}

function entryLine(entry: JsonValue): string {
  const [path, type, line, text] = ['path', 'type', 'line', 'text'].map((key) => memberOf(entry, key));
  if (path === undefined) return valueText(entry);
  if (line !== undefined) return `${valueText(path)}:${valueText(line)}: ${valueText(text ?? '')}`;
  return `${valueText(path)}${type === 'folder' ? '/' : ''}`;
}

/** Describes how a command ended and what it printed. */
function ran(output: JsonValue, command: string): string {
  const [status, signal] = [memberOf(output, 'exitCode'), memberOf(output, 'signal')];
  if (status === undefined) return `${command} gave:\n${block(output)}`;
  const end =
    typeof signal === 'string' ? `was ended by ${signal}` : `ended with status ${valueText(status)}`;
  const notes = memberOf(output, 'notes');
  const noted = notes === undefined ? '' : ` (${valueText(notes)})`;
  const printed = ['stdout', 'output', 'stderr'].flatMap((key) => {
    const text = memberOf(output, key);
    return typeof text === 'string' && text.trim() !== '' ? [block(text)] : [];
  });
  const said = printed.length === 0 ? 'printed nothing.' : `printed:\n${printed.join('\n')}`;
  return `${command} ${end}${noted} and ${said}`;
}

function fetched(output: JsonValue, url: string): string {
  const target = memberOf(output, 'redirectedTo');
  const note = memberOf(output, 'note') ?? 'not followed';
  if (target !== undefined) return `${url} leads to ${valueText(target)}: ${valueText(note)}`;
  const status = memberOf(output, 'status');
  const head = status === undefined ? 'answered' : `answered with status ${valueText(status)}`;
  return `${url} ${head}:\n${block(memberOf(output, 'body') ?? output)}`;
}

const TASKS: readonly Task[] = [
  {
    form: form(String.raw`(?:\$\s+|run\s+(?:the\s+command\s+)?)(?<command>\S.*?)`),
    tool: 'run_command',
    input: ({ command }) => ({ command: bare(command) }),
    words: ['run', 'the command'],
    subject: (input) => `\`${valueText(memberOf(input, 'command') ?? input)}\``,
    report: ran,
  },
  {
    form: form(String.raw`fetch\s+(?<url>https?:\/\/[^\s"<>]*[^\s"<>.,;:?!)])[.,;:?!)]*`),
    tool: 'fetch_url',
    input: ({ url = '' }) => ({ url }),
    words: ['fetch', 'fetching'],
    subject: (input) => valueText(memberOf(input, 'url') ?? input),
    report: fetched,
  },
  {
    form: form(String.raw`finish(?:\s+with)?(?:\s+(?<result>\S.*))?`),
    tool: 'finish',
    input: ({ result = 'done' }) => ({ result: result.trim() }),
    words: ['end', 'ending'],
    subject: () => 'the run',
    report: () => 'Finished.',
  },
  {
    form: form(String.raw`write\s+(?<content>\S.*?)\s+to\s+${FILE}`),
    tool: 'write_file',
    input: ({ path, content }) => ({ path: bare(path), content: `${bare(content)}\n` }),
    words: ['write', 'writing'],
    subject: pathOf,
    report: (output, path) => {
      const bytes = memberOf(output, 'bytes');
      return `Wrote ${path}${bytes === undefined ? '' : ` (${valueText(bytes)} bytes)`}.`;
    },
  },
  {
    form: form(String.raw`replace\s+(?<old>\S.*?)\s+with\s+(?<new>\S.*?)\s+in\s+${FILE}`),
    tool: 'edit_file',
    input: ({ path, old, new: newText }) => ({
      path: bare(path),
      oldText: bare(old),
      newText: bare(newText),
    }),
    words: ['change', 'changing'],
    subject: pathOf,
    report: (_output, path) => `Changed ${path}.`,
  },
  {
    form: form(String.raw`(?:list(?:\s+the)?\s+files|ls)(?:(?:\s+in)?\s+${FILE})?\s*[?.!]?`),
    tool: 'list_files',
    input: ({ path }) => (path === undefined ? {} : { path: bare(path) }),
    words: ['list', 'listing'],
    subject: (input) => (memberOf(input, 'path') === undefined ? 'the working folder' : pathOf(input)),
    report: (output, folder) => `In ${folder.replaceAll('`', '')}:\n${listed(output)}`,
  },
  {
    form: form(String.raw`(?:read|cat)\s+${FILE}`),
    tool: 'read_file',
    input: ({ path }) => ({ path: bare(path) }),
    words: ['read', 'reading'],
    subject: pathOf,
    report: (output, path) => {
      const text = memberOf(output, 'content') ?? output;
      return text === '' ? `${path} is empty.` : `${path} says:\n${block(text)}`;
    },
  },
  {
    form: form(String.raw`(?:search\s+for|find)\s+(?<pattern>"[^"]+"|\S+?)(?:\s+in\s+${FILE})?\s*[?.!]?`),
    tool: 'search_files',
    input: ({ pattern, path }) => ({
      pattern: bare(pattern),
      ...(path !== undefined && { path: bare(path) }),
    }),
    words: ['search for', 'searching for'],
    subject: (input) => `\`${valueText(memberOf(input, 'pattern') ?? input)}\``,
    report: (output, pattern) => `Found for ${pattern}:\n${listed(output)}`,
  },
];

/** Performs a task that needs one tool call. */
export const taskRule: Rule = (said) => {
  for (const { form: sentence, tool, input: inputOf, words, subject, report } of TASKS) {
    const groups = sentence.exec(said)?.groups;
    if (groups === undefined) continue;
    const input = inputOf(groups);
    const [verb, noun] = words;
    return oneCall({
      tool,
      input,
      before: tool === 'finish' ? '' : `I ${verb} ${subject(input)}${tool === 'fetch_url' ? '' : '.'}`,
      deed: { act: `${verb} ${subject(input)}`, what: `${noun} ${subject(input)}` },
      report: (call) => report(call.output, subject(call.input)),
    });
  }
  return undefined;
};
