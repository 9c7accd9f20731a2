import { readFileSync } from 'node:fs';
import path from 'node:path';

import { expect, test } from 'vitest';

import { settingsPage } from '../../scripts/make-settings.js';
import { root } from './project.js';

test('the page of settings is what the script makes of their table', async () => {
  expect(readFileSync(path.join(root, 'docs/reference/settings.md'), 'utf8')).toBe(await settingsPage());
});
