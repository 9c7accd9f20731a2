import type { AiSdkModel } from '../../../src/library/ai-sdk.js';

/** The ways in which the reply of a provider ends. */
export type End = 'stop' | 'length' | 'refusal' | 'tools';

/** A call that a model asks for. */
export interface Call {
  readonly id: string;
  readonly name: string;
  readonly input: string;
}

/** A reply as a provider streams it: thinking with its signature, words, calls, and the end. */
export interface Played {
  readonly thought?: string;
  readonly words?: readonly string[];
  readonly calls?: readonly Call[];
  readonly end: End;
}

/** The tokens that each played reply says it took: 9 read, 3 of them from a cache, and 4 written. */
export const USED = { input: 9, cached: 3, output: 4 };

/** One provider: its packages of both versions, its replies as its server sends them, its requests as it writes them. */
export interface Wire {
  readonly name: string;
  readonly packages: Readonly<Record<Version, string>>;
  make(exported: object, settings: { readonly apiKey: string; readonly fetch: typeof fetch }): AiSdkModel;
  /** The lines of a server, of which `data:` is left out. */
  lines(reply: Played): readonly (object | string)[];
  /** The body of an error with this status. */
  failure(status: number, message: string): object;
  /** The part of a request that holds what was said, without the system prompt. */
  said(body: Loose): readonly unknown[];
  /** What is said behind the first words once both calls of `twoCalls` ran, `pay` with 6 in place of 5, and with thinking if it has any. */
  readonly afterCalls: Readonly<Record<Version, readonly unknown[]>>;
  /** What is said from the first words on: an image behind `look`, a call of `shoot`, and the image that it gave. */
  readonly images: readonly unknown[];
  /** The part of a request that says how the reply is to be, and how much is thought. */
  settings(body: Loose): unknown;
  /** Those settings for a reply that fits `{ a: number }`, with the effort `low`, which version 3 has no word for. */
  readonly wanted: { readonly v3: object; readonly v4: object };
}

/** The version of the specification that a package has. */
export type Version = 'v3' | 'v4';

/** What `JSON.parse` gives. */
export type Loose = ReturnType<typeof JSON.parse>;

/** Calls `pay` with 5, and `square` with 3 in an object. */
export const twoCalls: Played = {
  thought: 'hm',
  words: ['I do'],
  calls: [
    { id: 'call_1', name: 'pay', input: '{"amount":5}' },
    { id: 'call_2', name: 'square', input: '{"value":3}' },
  ],
  end: 'tools',
};

/** A picture, as base64. */
export const PICTURE = 'iVBORw0KGgo=';

/** A call of the tool that gives a picture. */
export const shot: Played = { calls: [{ id: 'call_1', name: 'shoot', input: '{}' }], end: 'tools' };
