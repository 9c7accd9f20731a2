import { readFileSync } from 'node:fs';

import { describe, expect, test } from 'vitest';

import { isInstalled } from '../../scripts/tools.mjs';
import { scriptedModel } from '../../src/testing/index.js';
import { openServer } from './server-harness.js';

const peer = isInstalled() ? await import('../../tools/browser/openapi.mjs') : undefined;

describe.skipIf(peer === undefined)('the description of hitl serve (needs `npm run tools`)', () => {
  test('The one of the package is OpenAPI 3.1.', async () => {
    const file = new URL('../../schemas/openapi.json', import.meta.url);
    expect(await peer!.openApiFaults(JSON.parse(readFileSync(file, 'utf8')) as object)).toEqual([]);
  });

  test.for([true, false])('The one that is served is OpenAPI 3.1, with an agent: %s.', async (hasAgent) => {
    const { api, server } = await openServer(hasAgent ? { agent: { model: scriptedModel([]) } } : {});
    const described = (await (await api('/openapi.json')).json()) as object;
    expect(await peer!.openApiFaults(described)).toEqual([]);
    await server.close();
  });

  test('One without its title, and a reference that leads nowhere, are found.', async () => {
    const { api } = await openServer();
    const described = (await (await api('/openapi.json')).json()) as object;
    expect(await peer!.openApiFaults({ ...described, info: {} })).not.toEqual([]);
    expect(await peer!.openApiFaults({ ...described, components: {} })).toEqual([
      expect.stringContaining("Can't resolve #/components/schemas/"),
    ]);
  });
});
