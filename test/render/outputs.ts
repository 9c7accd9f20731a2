import type { Wait } from '../../src/render/activity.js';
import type { Output, Spinner } from '../../src/render/index.js';

/** Two streams and a spinner that write down, in order, what happens to the screen they share. */
export class FakeScreen {
  /** Everything in order: text of both streams, and `<text>` where a spinner shows, `</>` where it goes. */
  readonly log: string[] = [];
  out = '';
  err = '';
  isSpinning = false;
  /** As renderers take them. */
  readonly streams: { readonly stdout: Output; readonly stderr: Output; readonly spinner: Spinner };

  constructor(columns = 80) {
    const stdout: Output = { columns, write: (text: string) => (this.out += this.#write(text)) };
    const stderr: Output = { columns, write: (text: string) => (this.err += this.#write(text)) };
    const spinner: Spinner = {
      show: (wait: Wait) => {
        this.isSpinning = true;
        this.log.push(`<${wait.text}>`);
      },
      hide: () => {
        if (this.isSpinning) this.log.push('</>');
        this.isSpinning = false;
      },
    };
    this.streams = { stdout, stderr, spinner };
  }

  #write(text: string): string {
    if (this.isSpinning) throw new Error(`written under the spinner: ${JSON.stringify(text)}`);
    this.log.push(text);
    return text;
  }
}
