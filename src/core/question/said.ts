import type { InterruptKind } from '../data/interrupt.js';
import type { Done } from './way.js';

/** A decision in its verb, with the words that were given for it, if any. */
export function said(verb: string, look: Done['look'], text = ''): Done {
  return text === '' ? { look, verb } : { look, verb, text };
}

/** Gives the verb for a rejection: at some kinds nothing is refused by it. */
export function rejectedVerb(kind: InterruptKind): string {
  switch (kind) {
    case 'in-doubt':
      return 'called failed';
    case 'error':
      return 'reported to the model';
    case 'question':
    case 'confirmation':
    case 'gate':
    case 'pause':
    case 'limit':
      return 'rejected';
  }
}
