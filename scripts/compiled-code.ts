import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Where the programs that scripts and tests start keep compiled code together; it is named anew with every build. */
export const COMPILED_CODE = join(tmpdir(), `hitl-test-code-${process.getuid?.() ?? 0}`);
