import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import ts from 'typescript';

import type { Page } from './pages.js';

const root = path.resolve(import.meta.dirname, '../..');
// In the project, so that `hitl` is the package that was built.
const folder = path.join(root, 'reports/snippets');

/** What the compiler says of the TypeScript of the pages, strictly and against the types that users get. */
export function wrongSnippets(all: readonly Page[]): {
  readonly count: number;
  readonly faults: readonly string[];
} {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const places = new Map<string, { readonly page: string; readonly line: number }>();
  for (const { file, blocks } of all) {
    for (const { language, text, line, given } of blocks.filter((block) => block.language === 'ts')) {
      const name = path.join(folder, `${file.replaceAll(/[/.]/g, '-')}-${line}.${language}`);
      const before = given === '' ? '' : `${given.replaceAll('\n', ' ')} `;
      writeFileSync(name, `${before}${text}\nexport {};\n`);
      places.set(name, { page: file, line });
    }
  }
  const program = ts.createProgram([...places.keys()], {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    target: ts.ScriptTarget.ES2023,
    lib: ['lib.es2023.d.ts', 'lib.esnext.disposable.d.ts'],
    module: ts.ModuleKind.NodeNext,
    types: ['node'],
  });
  const faults = ts.getPreEmitDiagnostics(program).map(({ file, start = 0, messageText }) => {
    const said = ts.flattenDiagnosticMessageText(messageText, ' ');
    const place = places.get(path.normalize(file?.fileName ?? ''));
    if (file === undefined || place === undefined) return said;
    const line = place.line + 1 + file.getLineAndCharacterOfPosition(start).line;
    return `${place.page}: line ${line}: ${said}`;
  });
  return { count: places.size, faults };
}
