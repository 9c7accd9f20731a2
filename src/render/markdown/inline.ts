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

/** HTML and unknown tokens are shown as written. */
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

/** The lexer decodes entities that are numbers; these are the names that models write. */
function decodeEntities(text: string): string {
  return text.replace(/&(?:amp|lt|gt|quot|apos|nbsp);/g, (entity) => ENTITIES[entity] ?? entity);
}

/** Without colours, the author's marks stay. */
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

/** Tokens of one run of inline markdown, as safe text with styles. */
export function showTokens(tokens: readonly Token[], theme: Theme): string {
  return tokens.map((token) => showToken(token, theme)).join('');
}

/** Characters that are read as markdown in one go: the lexer's time grows faster than the length of hostile text. */
export const LONGEST_INLINE = 1000;

/**
 * Formats inline markdown as safe styled text: bold, italics, code, strikethrough; links as text and URL.
 * Text longer than `LONGEST_INLINE` is shown as written.
 */
export function showInline(source: string, theme: Theme): string {
  if (source.length > LONGEST_INLINE) return safeText(source);
  return showTokens(Lexer.lexInline(source), theme);
}
