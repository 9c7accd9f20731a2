import type { Resolution } from '../resolution.js';

/** The reading of a message by a model. */
export type ActionChoice =
  | {
      readonly type: 'action';
      readonly resolution: Resolution;
      readonly reason: string;
      /** 0..1, as the model sees it. */
      readonly confidence: number;
      /** A person has to agree before it takes effect (N-5). */
      readonly confirm: boolean;
    }
  /** The message can be read in several ways; `suggestion` is what the model leans to. */
  | {
      readonly type: 'question';
      readonly question: string;
      readonly reason: string;
      readonly confidence: number;
      readonly suggestion?: Resolution;
    }
  /** Nothing that can be done came of it: a person chooses (N-4). */
  | { readonly type: 'pause'; readonly why: string };
