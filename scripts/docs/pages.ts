import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '../..');

/** A page of the documents, cut into what a reader types and the rest. */
export interface Page {
  /** From the root of the project, with `/`. */
  readonly file: string;
  readonly text: string;
  readonly blocks: readonly Block[];
  /** What stands between single backticks, outside of blocks. */
  readonly spans: readonly string[];
}

/** A fenced block. */
export interface Block {
  readonly language: string;
  readonly text: string;
  readonly line: number;
  /** What the reader is to imagine before it, from a comment `<!-- given: … -->`: imports and declarations. */
  readonly given: string;
}

/** What was decided or changed once may name what is gone. */
const PAST = /^(CHANGELOG\.md|docs\/adr\/)/;

/** Every page of the project. */
export function pages(): readonly Page[] {
  const folders = ['.', 'docs', 'docs/adr', 'docs/guides', 'docs/reference', 'tools', 'examples', 'bench'];
  const files = folders.flatMap((folder) =>
    readdirSync(path.join(root, folder))
      .filter((name) => name.endsWith('.md'))
      .map((name) => path.posix.join(folder, name)),
  );
  return files.map((file) => pageOf(file, readFileSync(path.join(root, file), 'utf8')));
}

/** True for a page of what is now. */
export function isCurrent({ file }: Page): boolean {
  return !PAST.test(file);
}

/** Cuts the text of a page. */
export function pageOf(file: string, text: string): Page {
  const fence = /(?:<!-- given: ([^]*?) -->\n+)?^ *```(\S*)\n([^]*?)^ *```$/gm;
  const blocks = [...text.matchAll(fence)].map(
    ({ 0: all, 1: given = '', 2: language = '', 3: content = '', index }) => {
      const line = text.slice(0, index + all.indexOf('```')).split('\n').length;
      return { language, text: content, given, line };
    },
  );
  const prose = text.replace(fence, '\n');
  const spans = [...prose.matchAll(/(?<!`)`([^`\n]+)`(?!`)/g)].map(({ 1: span = '' }) => span);
  return { file, text, blocks, spans };
}
