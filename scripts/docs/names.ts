import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { publishedConfigSchema } from '../published-config-schema.js';
import { EXIT_STATUSES } from '../../commands/exit/exit-codes.js';
import { SETTINGS } from '../../commands/settings/table.js';
import type { HitlStatus } from '../../src/core/data/errors.js';
import { isErrorCode } from '../../src/core/data/errors.js';
import type { Page } from './pages.js';

const root = path.resolve(import.meta.dirname, '../..');

/** The declarations of all exports, which `npm run api` writes. */
const DECLARATIONS = 'test/api/report.md';

/** Names that the build writes in, or that one process of the program says to another. */
const INTERNAL = new Set(['HITL_VERSION', 'HITL_COMMAND', 'HITL_TOUR']);

/** Names that a page says and the program does not have: variables, statuses, error codes, keys of configurations. */
export function unknownNames(page: Page): readonly string[] {
  const variables = usedVariables();
  const exported = exportedValues();
  return [
    ...[...new Set(page.text.match(/\bHITL_[A-Z_]+\b/g) ?? [])]
      .filter((name) => !variables.has(name))
      .map((name) => `nothing reads ${name}`),
    ...[...page.text.matchAll(/\b(?:exit )?status(?: is)? (\d+)\b/gi)]
      .map(({ 1: status = '' }) => status)
      .filter((status) => Number(status) < 128 && !Object.hasOwn(EXIT_STATUSES, status))
      .map((status) => `there is no exit status ${status}`),
    ...page.spans
      .filter((span) => /^[A-Z]+(_[A-Z]+)+$/.test(span) && !OF_OTHERS.test(span))
      .filter(
        (span) =>
          !isErrorCode(span) &&
          !variables.has(span) &&
          !exported.includes(span) &&
          !Object.hasOwn(STATUSES, span),
      )
      .map((span) => `${span} is neither an error code nor a variable`),
    ...page.blocks.flatMap(({ language, text, line }) =>
      language.startsWith('json') ? keyFaults(text, line) : [],
    ),
  ].map((fault) => `${page.file}: ${fault}`);
}

/** The names that errors have in Genkit. */
const STATUSES: Readonly<Record<HitlStatus, true>> = {
  ABORTED: true,
  ALREADY_EXISTS: true,
  DATA_LOSS: true,
  FAILED_PRECONDITION: true,
  INTERNAL: true,
  INVALID_ARGUMENT: true,
  NOT_FOUND: true,
  PERMISSION_DENIED: true,
  RESOURCE_EXHAUSTED: true,
  UNAVAILABLE: true,
};

/** Variables and names of the system, of providers and of others. */
const OF_OTHERS =
  /^(ANTHROPIC|XDG|NODE|NO_COLOR|FORCE|CLAUDE|OLLAMA|OTEL|BENCH|TEST|HTTPS?|MUST|E[A-Z]+|LC|RACE)(_|$)/;

/** A block that has a key of the settings is a configuration, and must be one. */
function keyFaults(text: string, line: number): readonly string[] {
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\s*\/\/.*$/gm, ''));
  } catch {
    return []; // a piece of a document, or several lines of them
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  const keys = Object.keys(value);
  if ('type' in value || !keys.some((key) => Object.hasOwn(SETTINGS, key))) return [];
  const parsed = publishedConfigSchema().safeParse(value);
  return parsed.success ? [] : [`line ${line} is no configuration: ${parsed.error.issues[0]?.message ?? ''}`];
}

/** The functions, classes and constants that users can import, by the list of declarations, which CI holds current. */
export function exportedValues(): readonly string[] {
  const declarations = readFileSync(path.join(root, DECLARATIONS), 'utf8');
  const names = declarations.matchAll(/^(?:async )?(?:function|declare const|(?:abstract )?class) (\w+)/gmu);
  return [...new Set([...names].map(({ 1: name = '' }) => name))];
}

/** The variables that the program reads. */
export function usedVariables(): ReadonlySet<string> {
  const declared = Object.values(SETTINGS).flatMap((row) => ('variables' in row ? row.variables : []));
  const read = ['src', 'sessions', 'commands', 'bin'].flatMap((room) =>
    readdirSync(path.join(root, room), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .flatMap((name) => readFileSync(path.join(root, room, name), 'utf8').match(/\bHITL_[A-Z_]+\b/g) ?? []),
  );
  return new Set([...declared, ...read].filter((name) => !INTERNAL.has(name)));
}
