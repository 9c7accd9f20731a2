import { isJsonObject } from '../../core/index.js';
import type { CodeSpan } from '../values/span.js';
import type { QuestionLine } from '../values/text-line.js';
import type { QuestionView } from '../question/question-text.js';

/** Maximum length of a change to highlight, in characters. */
const LONGEST = 50_000;

/** Adds syntax highlighting to the change that a question shows. */
export async function withHighlights(view: QuestionView): Promise<QuestionView> {
  const { source } = view.interrupt;
  const path = source.type === 'tool' && isJsonObject(source.input) ? source.input['path'] : undefined;
  const file = typeof path === 'string' ? path : undefined;
  const { all, tight, folded } = view.brief;
  const brief = {
    all: await withCode(all, file),
    tight: await withCode(tight, file),
    folded: await withCode(folded, file),
  };
  return { ...view, brief };
}

/**
 * Adds syntax highlighting to a change's lines. The highlighter is loaded when it is first needed. It
 * receives escaped text and returns only positions.
 */
async function withCode(
  lines: readonly QuestionLine[],
  file: string | undefined,
): Promise<readonly QuestionLine[]> {
  const code = lines.filter(({ part, label }) => part === 'diff' && label !== undefined);
  const length = code.reduce((sum, { text }) => sum + text.length, 0);
  if (file === undefined || code.length === 0 || length > LONGEST) return lines;
  const { codeSpans } = await import('./highlight-code.js');
  const found = new Map<QuestionLine, readonly CodeSpan[]>();
  for (const other of ['removed', 'added'] as const) {
    // The old text and the new one are each a text by themselves.
    const text = code.filter(({ tone }) => tone === 'quoted' || tone === other);
    const spans = codeSpans(
      text.map((line) => line.text),
      file,
    );
    text.forEach((line, index) => {
      const ofLine = spans[index];
      if (ofLine !== undefined) found.set(line, ofLine);
    });
  }
  return lines.map((line) => {
    const spans = found.get(line);
    return spans === undefined ? line : { ...line, code: spans };
  });
}
