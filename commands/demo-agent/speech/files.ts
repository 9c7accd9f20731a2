import type { JsonValue } from '../../../src/core/index.js';
import { isJsonArray } from '../../../src/core/index.js';
import type { Rule } from './rule.js';
import { oneCall } from './rule.js';
import { block, memberOf, valueText } from './say.js';

/** A path in quotes, or a word; the group is read by `pathOf`. */
const PATH = String.raw`(?:"(?<dq>[^"]+)"|'(?<sq>[^']+)'|${'`'}(?<bq>[^${'`'}]+)${'`'}|(?<word>[^\s"'${'`'}]+))`;
const FILE = String.raw`(?:(?:the|a|an|my)\s+)?(?:new\s+)?(?:file\s+)?(?:named\s+|called\s+)?`;

type Groups = Readonly<Record<string, string | undefined>> | undefined;

function pathOf(groups: Groups): string {
  const { dq, sq, bq, word } = groups ?? {};
  return dq ?? sq ?? bq ?? word?.replace(/[,;:?!]+$|\.$/u, '') ?? '';
}

function unquoted(text: string): string {
  const trimmed = text.trim();
  return /^(?<quote>["'`])(?<inner>.*)\k<quote>$/su.exec(trimmed)?.groups?.['inner'] ?? trimmed;
}

function looksLikePath(path: string): boolean {
  return /[./\\]/u.test(path);
}

/** A list of a result as lines: names, or what each entry is called. */
function lines(value: JsonValue): string {
  const list = memberOf(value, 'entries', 'files', 'matches', 'results') ?? value;
  if (typeof list === 'string') return list;
  if (!isJsonArray(list)) return JSON.stringify(list, null, 2);
  if (list.length === 0) return '(nothing)';
  const more = memberOf(value, 'more') === true ? ['… and more'] : [];
  return [...list.map(entryLine), ...more].join('\n');
}

function entryLine(entry: JsonValue): string {
  const name = memberOf(entry, 'path', 'name', 'file');
  if (name === undefined) return valueText(entry);
  const line = memberOf(entry, 'line');
  const text = memberOf(entry, 'text', 'match');
  const folder = /^(?:dir|folder)/u.test(valueText(memberOf(entry, 'type', 'kind') ?? '')) ? '/' : '';
  return `${valueText(name)}${folder}${line === undefined ? '' : `:${valueText(line)}`}${text === undefined ? '' : `: ${valueText(text)}`}`;
}

const LIST = new RegExp(
  String.raw`^(?:(?:list|show)(?:\s+me)?\s+(?:all\s+)?(?:the\s+)?(?:files|folders?|director(?:y|ies))|(?:what|which)\s+files\s+(?:are|do (?:i|we) have)|ls|dir)(?:\s+there)?(?:\s+(?:in|of|under)\b)?(?:\s+(?:the\s+)?(?:folder\s+|directory\s+)?${PATH})?(?:\s+(?:folder|directory))?\s*[?.!]?$`,
  'iu',
);
const HERE = /^(?:this|the|here|current|\.|working|my|me|please|now)$/iu;

/** Lists a folder. */
export const listRule: Rule = (said) => {
  const match = LIST.exec(said);
  if (match === null) return undefined;
  const path = pathOf(match.groups);
  const isHere = path === '' || HERE.test(path);
  const where = isHere ? 'the working folder' : `\`${path}\``;
  return oneCall({
    tool: 'list_files',
    input: isHere ? {} : { path },
    before: `I list ${where}.`,
    what: `the list of ${where}`,
    report: ({ input, output }) =>
      `In ${valueText(memberOf(input, 'path') ?? 'the working folder')}:\n${block(lines(output))}`,
  });
};

const READ = new RegExp(
  String.raw`^(?:(?:read|open|show|cat|print|display|view)(?:\s+me)?|what(?:['’]s|\s+is)\s+in)\s+(?:(?:the\s+)?contents?\s+of\s+)?(?<said>${FILE})${PATH}(?:\s+file)?(?:\s+please)?\s*[?.!]?$`,
  'iu',
);

/** Reads a file. */
export const readRule: Rule = (said) => {
  const match = READ.exec(said);
  const path = pathOf(match?.groups);
  if (match === null || !(looksLikePath(path) || /\bfile\b/iu.test(match.groups?.['said'] ?? '')))
    return undefined;
  return oneCall({
    tool: 'read_file',
    input: { path },
    before: `I read \`${path}\`.`,
    what: `the reading of \`${path}\``,
    report: ({ input, output }) => {
      const text = valueText(memberOf(output, 'content', 'text') ?? output);
      const name = `\`${valueText(memberOf(input, 'path') ?? path)}\``;
      return text === '' ? `${name} is empty.` : `${name} says:\n${block(text)}`;
    },
  });
};

const WRITES = [
  new RegExp(
    String.raw`^(?:write|save|put)\s+(?:(?:the\s+)?(?:text|words?|line)\s+)?(?<content>.+)\s+(?:to|into|in|as)\s+${FILE}${PATH}\s*[.!]?$`,
    'isu',
  ),
  new RegExp(
    String.raw`^(?:write|create|make|save)\s+(?:to\s+)?${FILE}${PATH}\s*(?::|\b(?:with|containing|that says|saying)\b)\s*(?:the\s+)?(?:(?:content|text|words?)\s+)?(?<content>.+)$`,
    'isu',
  ),
];

/** Writes a file. */
export const writeRule: Rule = (said) => {
  const match = WRITES.map((form) => form.exec(said)).find((found) => found !== null);
  const path = pathOf(match?.groups);
  const content = match?.groups?.['content'];
  if (content === undefined || !looksLikePath(path)) return undefined;
  return oneCall({
    tool: 'write_file',
    input: { path, content: `${unquoted(content)}\n` },
    before: `I write \`${path}\`.`,
    what: `the writing of \`${path}\``,
    report: ({ input, output }) => {
      const wrote = memberOf(output, 'path') ?? memberOf(input, 'path') ?? path;
      const size = memberOf(output, 'bytes', 'size');
      return `Wrote \`${valueText(wrote)}\`${size === undefined ? '' : ` (${valueText(size)} bytes)`}.`;
    },
  });
};

const EDIT = new RegExp(
  String.raw`^(?:replace|change)\s+(?<old>.+?)\s+(?:with|to|by)\s+(?<new>.+?)\s+in\s+${FILE}${PATH}\s*[.!]?$`,
  'isu',
);

/** Replaces text in a file. */
export const editRule: Rule = (said) => {
  const groups = EDIT.exec(said)?.groups;
  const path = pathOf(groups);
  if (groups === undefined || !looksLikePath(path)) return undefined;
  const oldText = unquoted(groups['old'] ?? '');
  const newText = unquoted(groups['new'] ?? '');
  return oneCall({
    tool: 'edit_file',
    input: { path, oldText, newText },
    before: `I change \`${path}\`.`,
    what: `the change of \`${path}\``,
    report: ({ input }) => `Changed \`${valueText(memberOf(input, 'path') ?? path)}\`.`,
  });
};

const SEARCH = new RegExp(
  String.raw`^(?:(?:search|look|grep)(?:\s+for)?|find)\s+(?<pattern>"[^"]+"|'[^']+'|${'`'}[^${'`'}]+${'`'}|\S+)(?:\s+in\s+(?:(?:all\s+)?(?:the\s+)?(?<files>files)|${FILE}${PATH}))?\s*[?.!]?$`,
  'iu',
);

/** Searches files for text. */
export const searchRule: Rule = (said) => {
  const groups = SEARCH.exec(said)?.groups;
  if (groups === undefined) return undefined;
  const pattern = unquoted(groups['pattern'] ?? '');
  const path = pathOf(groups);
  return oneCall({
    tool: 'search_files',
    input: { pattern, ...(path !== '' && !HERE.test(path) && { path }) },
    before: `I search for \`${pattern}\`.`,
    what: `the search for \`${pattern}\``,
    report: ({ output }) => `Found for \`${pattern}\`:\n${block(lines(output))}`,
  });
};
