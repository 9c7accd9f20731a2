import { Lexer } from 'marked';
import type { Token, Tokens } from 'marked';

import { safeText } from '../safe-text.js';
import type { Style, Theme } from '../theme.js';

type InlineToken =
  | Tokens.Text
  | Tokens.Escape
  | Tokens.Strong
  | Tokens.Em
  | Tokens.Del
  | Tokens.Codespan
  | Tokens.Br
  | Tokens.Link
  | Tokens.Image;

const INLINE: Readonly<Record<InlineToken['type'], true>> = {
  text: true,
  escape: true,
  strong: true,
  em: true,
  del: true,
  codespan: true,
  br: true,
  link: true,
  image: true,
};

/** Whether the token is inline markdown. HTML and unknown tokens are shown as written. */
function isInline(token: Token): token is InlineToken {
  return Object.hasOwn(INLINE, token.type);
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&apos;': "'",
  '&nbsp;': '\u00A0',
};

/** Decodes the named entities that models write. The lexer already decodes numeric ones. */
function decodeEntities(text: string): string {
  return text.replace(/&(?:amp|lt|gt|quot|apos|nbsp);/g, (entity) => ENTITIES[entity] ?? entity);
}

/** Returns the style or, without colors, a function that adds the markdown markup back. */
function marked(style: Style, mark: string, theme: Theme): Style {
  return theme.colour ? style : (text) => `${mark}${text}${mark}`;
}

function showLink(token: Tokens.Link, theme: Theme): string {
  const url = safeText(decodeEntities(token.href));
  const text = showTokens(token.tokens, theme);
  const same = token.text === token.href || `mailto:${token.text}` === token.href;
  return same ? theme.link(url) : `${text} (${theme.link(url)})`;
}

function showToken(token: Token, theme: Theme): string {
  if (!isInline(token)) return safeText(token.raw);
  switch (token.type) {
    case 'text':
      return safeText(decodeEntities(token.text));
    case 'escape':
      // A backslash that stands for itself may not join what follows to our notation.
      return safeText(token.text === '\\' ? token.raw : token.text);
    case 'strong':
      return marked(theme.strong, '**', theme)(showTokens(token.tokens, theme));
    case 'em':
      return marked(theme.emphasis, '*', theme)(showTokens(token.tokens, theme));
    case 'del':
      return marked(theme.struck, '~~', theme)(showTokens(token.tokens, theme));
    case 'codespan':
      return marked(theme.code, '`', theme)(safeText(token.text));
    case 'br':
      return '\n';
    case 'link':
      return showLink(token, theme);
    case 'image':
      return `${safeText(token.text)} (${theme.link(safeText(token.href))})`;
  }
}

/** Formats inline markdown tokens as safe styled text. */
export function showTokens(tokens: readonly Token[], theme: Theme): string {
  return tokens.map((token) => showToken(token, theme)).join('');
}

/**
 * Maximum number of characters parsed as markdown at once. For malicious text, parsing time grows faster than
 * the length.
 */
export const LONGEST_INLINE = 1000;

/**
 * Formats inline markdown as safe styled text: bold, italics, code, strikethrough, and links as text and URL.
 * Text longer than `LONGEST_INLINE` is shown as written.
 */
export function showInline(source: string, theme: Theme): string {
  if (source.length > LONGEST_INLINE) return safeText(source);
  return showTokens(Lexer.lexInline(source), theme);
}
