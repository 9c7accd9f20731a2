// A home and a folder of its own for each run, with the same files each time.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const CART = `import { readFileSync } from 'node:fs';

function round(value) {
  return Math.round(value * 100) / 100;
}

/** What the cart costs, with tax and discount. */
export function total(lines, taxRate, discount = 0) {
  const net = lines.reduce((sum, { price, quantity }) => sum + price * quantity, 0);
  const gross = net * (1 + taxRate);
  return round(gross - discount);
}

export function load(path) {
  return JSON.parse(readFileSync(path, 'utf8'));
}
`;

/** The call that changes the cart: the discount is taken off before the tax. */
export const CART_EDIT = {
  name: 'edit_file',
  input: {
    path: 'src/cart.js',
    oldText: '  const gross = net * (1 + taxRate);\n  return round(gross - discount);',
    newText: '  return round((net - discount) * (1 + taxRate));',
  },
};

/** One reply of the model: a text, calls, or both. */
export interface Reply {
  readonly text?: string;
  readonly tools?: readonly { readonly name: string; readonly input: object }[];
}

/** Where a run takes place. */
export class Stage implements Disposable {
  readonly #root = mkdtempSync(join(tmpdir(), 'hitl-pictures-'));
  readonly work = join(this.#root, 'shop');

  constructor() {
    mkdirSync(join(this.work, 'src'), { recursive: true });
    writeFileSync(join(this.work, 'src/cart.js'), CART);
    execFileSync('git', ['init', '--quiet', '--initial-branch=main', this.work]);
  }

  get env(): Record<string, string> {
    return {
      PATH: process.env['PATH'] ?? '',
      HOME: this.#root,
      HITL_HOME: join(this.#root, '.hitl'),
      TERM: 'xterm-256color',
      FORCE_COLOR: '1',
      LANG: 'C.UTF-8',
      USER: 'ann',
      LOGNAME: 'ann',
    };
  }

  /** The name of a model that replies so. */
  model(...replies: readonly Reply[]): string {
    return `script:${this.write('../model.jsonl', replies.map((reply) => JSON.stringify(reply)).join('\n'))}`;
  }

  write(name: string, text: string): string {
    const path = join(this.work, name);
    writeFileSync(path, text);
    return path;
  }

  [Symbol.dispose](): void {
    rmSync(this.#root, { recursive: true, force: true, maxRetries: 5 });
  }
}
