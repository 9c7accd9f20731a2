import { readFileSync } from 'node:fs';

import { format } from 'oxfmt';

const {
  $schema: _schema,
  ignorePatterns: _ignored,
  ...options
} = JSON.parse(readFileSync(new URL('../.oxfmtrc.json', import.meta.url), 'utf8'));

export async function formatted(file, text) {
  const { code, errors } = await format(file, text, options);
  if (errors.length > 0) throw new Error(`${file}: ${errors[0].message}`);
  return code;
}
