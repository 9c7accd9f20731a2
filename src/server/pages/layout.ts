import { escapeText } from '../../core/index.js';
import type { Access, Visitor } from '../doors/visitor.js';
import type { Html } from './html.js';
import { html } from './html.js';

/** A page: its title, content and position in the menu. */
export interface Page {
  readonly title: string;
  readonly main: Html;
  readonly at?: 'questions' | 'sessions';
  readonly visitor?: Visitor;
}

/** Returns the complete HTML document for a page. */
export function documentOf({ title, main, at, visitor }: Page): string {
  const current = (place: string): Html => (place === at ? html` aria-current="page"` : html``);
  const out =
    visitor?.isOver !== undefined &&
    visitor.formToken !== undefined &&
    html`<form method="post" action="/sign-out">
      <input type="hidden" name="form" value="${visitor.formToken}" /><button class="link">sign out</button>
    </form>`;
  const menu =
    visitor !== undefined &&
    html`<nav aria-label="Pages" class="row">
        <a href="/" ${current('questions')}>Questions</a
        ><a href="/sessions" ${current('sessions')}>Sessions</a>
      </nav>
      <span class="who aloud">signed in as ${escapeText(visitor.name)}</span>${out}`;
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title} · hitl</title>
        <link rel="icon" href="/icon.svg" />
        <link rel="stylesheet" href="/style.css" />
        ${visitor !== undefined && html`<script src="/live.js" defer></script>`}
      </head>
      <body>
        <a class="skip" href="#main">Skip to the content</a>
        <header class="top"><a class="name" href="/">hitl</a>${menu}</header>
        <p id="news" role="status" class="top"></p>
        ${
          visitor !== undefined &&
          html`<p id="live" role="status" class="top" hidden></p>
            <noscript
              ><p class="top dim">
                This page does not update automatically. Reload it to see changes.
              </p></noscript
            >`
        }${main}
      </body>
    </html> `.toString();
}

/** The icon of the pages. */
export const ICON =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="3" fill="#8a5a00"/><path d="m 6 5.2a2.1 2.1 0 1 1 3 1.9c-.7.3-1 .7-1 1.5v.4" fill="none" stroke="#fff" stroke-width="1.6" stroke-linecap="round"/><circle cx="8" cy="11.7" r="1" fill="#fff"/></svg>';

/** Returns a page with one message. */
export function messagePage(title: string, words: string, hint?: string): Page {
  const more = hint === undefined ? undefined : html`<p class="dim">${hint}</p>`;
  return {
    title,
    main: html`<main id="main" tabindex="-1">
      <h1 tabindex="-1">${title}</h1>
      <p>${words}</p>
      ${more}
    </main>`,
  };
}

/** Help on where to find the sign-in link or token. Not shown with a proxy, which handles sign-in itself. */
const SIGN_IN_HELP: Readonly<Record<Access['type'], Html>> = {
  link: html`<p class="dim">
    Open the link that <code>hitl serve</code> printed at start. The token is at the end of the link.
  </p>`,
  tokens: html`<p class="dim">
    Enter your own token. If you have none, ask the administrator of this server.
  </p>`,
  proxy: html`<p class="dim">Sign in through the proxy of this server.</p>`,
};

/** Returns the sign-in page. */
export function signInPage(why: string, way: Access['type']): Page {
  return {
    title: 'Sign in',
    main: html`<main id="main" tabindex="-1">
      <h1 tabindex="-1">Sign in</h1>
      <p>${why}</p>
      <form method="post" action="/sign-in" class="card">
        <label for="token">Your token</label
        ><input id="token" name="token" type="password" autocomplete="current-password" required />
        <p><button class="starts">sign in</button></p>
      </form>
      ${SIGN_IN_HELP[way]}
    </main>`,
  };
}
