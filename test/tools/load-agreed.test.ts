import { existsSync } from 'node:fs';
import path from 'node:path';

import { expect, test } from 'vitest';

import { moduleClosure } from '../../src/files/index.js';
import { loadTools } from '../../src/tools/index.js';
import { tempFolders } from './temp-folder.js';

const folder = tempFolders();

test.for(['t.mjs', 'dep.mjs', 'new.mjs'])(
  'a module is not loaded where %s is not as it was agreed to (A6)',
  async (changed) => {
    const root = await folder();
    const ran = path.join(root.path, 'ran');
    const evil = `import { writeFileSync } from 'node:fs';\nwriteFileSync(${JSON.stringify(ran)}, '');\n`;
    await root.write({ 't.mjs': "import './dep.mjs';\n", 'dep.mjs': '' });
    const file = path.join(root.path, 't.mjs');
    const agreed = moduleClosure(file);
    await root.write(
      changed === 'new.mjs' ? { 'dep.mjs': "import './new.mjs';\n", 'new.mjs': evil } : { [changed]: evil },
    );
    await expect(loadTools(file, { cwd: root.path, agreed })).rejects.toThrow(
      'has changed since you trusted it; nothing loaded',
    );
    expect(existsSync(ran)).toBe(false);
  },
);
