/** Somebody who came in by a door. */
export interface Visitor {
  readonly name: string;
  /** The identity that somebody else vouches for; absent for the person who started the server. */
  readonly id?: { readonly issuer: string; readonly subject: string };
  readonly groups: readonly string[];
  /** The token that a form of theirs carries; absent for a program, whose request no browser could make. */
  readonly formToken?: string;
}

/** A person with a token of their own. */
export interface Person {
  readonly name: string;
  readonly token: string;
  readonly groups?: readonly string[];
}

/** The way in: one link for whoever started the server, a token for each person, or a proxy that knows them. */
export type Access =
  | { readonly type: 'link'; readonly token: string; readonly name: string }
  | { readonly type: 'tokens'; readonly people: readonly Person[] }
  | {
      readonly type: 'proxy';
      /** The addresses whose headers are believed, and no other. */
      readonly trusted: readonly string[];
      /** Names whoever signs people in: `https://login.example.org`. */
      readonly issuer: string;
    };
