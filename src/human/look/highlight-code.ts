import { common, createLowlight } from 'lowlight';

import type { CodeKind } from '../device/theme.js';
import type { CodeSpan } from '../values/span.js';

const LANGUAGES: Readonly<Record<string, string>> = {
  bash: 'bash',
  c: 'c',
  cc: 'cpp',
  cjs: 'javascript',
  cpp: 'cpp',
  cs: 'csharp',
  css: 'css',
  cts: 'typescript',
  go: 'go',
  h: 'c',
  hpp: 'cpp',
  html: 'xml',
  java: 'java',
  js: 'javascript',
  json: 'json',
  jsx: 'javascript',
  kt: 'kotlin',
  less: 'less',
  lua: 'lua',
  md: 'markdown',
  mjs: 'javascript',
  mts: 'typescript',
  php: 'php',
  pl: 'perl',
  py: 'python',
  rb: 'ruby',
  rs: 'rust',
  scss: 'scss',
  sh: 'bash',
  sql: 'sql',
  svg: 'xml',
  swift: 'swift',
  toml: 'ini',
  ts: 'typescript',
  tsx: 'typescript',
  xml: 'xml',
  yaml: 'yaml',
  yml: 'yaml',
};

const KINDS: Readonly<Record<string, CodeKind>> = {
  'hljs-keyword': 'keyword',
  'hljs-built_in': 'keyword',
  'hljs-literal': 'keyword',
  'hljs-type': 'keyword',
  'hljs-tag': 'keyword',
  'hljs-selector-tag': 'keyword',
  'hljs-string': 'string',
  'hljs-regexp': 'string',
  'hljs-number': 'number',
  'hljs-comment': 'comment',
  'hljs-quote': 'comment',
  'hljs-title': 'name',
  'hljs-attr': 'name',
  'hljs-name': 'name',
  'hljs-section': 'name',
};

const lowlight = createLowlight(common);
type Node = ReturnType<typeof lowlight.highlight>['children'][number];

/** Returns the syntax-highlighting spans of each line. Empty if the file's language is unknown. */
export function codeSpans(lines: readonly string[], file: string): readonly (readonly CodeSpan[])[] {
  const ending = /\.([a-z]+)$/i.exec(file)?.[1]?.toLowerCase() ?? '';
  const language = Object.hasOwn(LANGUAGES, ending) ? LANGUAGES[ending] : undefined;
  if (language === undefined) return [];
  const text = lines.join('\n');
  const pieces = lowlight.highlight(language, text).children.flatMap((node) => piecesOf(node, undefined));
  // Places count only in the very text that was given.
  return pieces.map(({ value }) => value).join('') === text ? spansOf(pieces) : [];
}

interface Piece {
  readonly value: string;
  readonly kind: CodeKind | undefined;
}

function piecesOf(node: Node, outer: CodeKind | undefined): readonly Piece[] {
  if (node.type === 'text') return [{ value: node.value, kind: outer }];
  if (node.type !== 'element') return [];
  const { className } = node.properties;
  const names = Array.isArray(className) ? className.filter((name) => typeof name === 'string') : [];
  const kind = names.map((name) => KINDS[name]).find((found) => found !== undefined) ?? outer;
  return node.children.flatMap((child) => piecesOf(child, kind));
}

/** Returns each line's spans, with positions relative to the line. */
function spansOf(pieces: readonly Piece[]): readonly (readonly CodeSpan[])[] {
  const lines: CodeSpan[][] = [[]];
  let at = 0;
  for (const { value, kind } of pieces) {
    value.split('\n').forEach((text, index) => {
      if (index > 0) {
        lines.push([]);
        at = 0;
      }
      if (kind !== undefined && text !== '') lines.at(-1)?.push({ start: at, end: at + text.length, kind });
      at += text.length;
    });
  }
  return lines;
}
