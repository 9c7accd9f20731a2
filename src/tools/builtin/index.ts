import type { Tool } from '../../core/index.js';

import { askUser } from './ask-user.js';
import { finish } from './finish.js';
import type { BuiltinOptions } from './options.js';

export { demoTools } from './demo-tools.js';
export type { BuiltinOptions } from './options.js';

/** The tools that come with the product: they read without asking, and ask before they change or send anything. */
export function builtinTools(_options: BuiltinOptions): readonly Tool[] {
  return [askUser(), finish()];
}
