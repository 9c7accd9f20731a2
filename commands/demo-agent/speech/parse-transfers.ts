/** One transfer that a text asks for; a member that the text does not name is absent. */
export interface TransferOrder {
  readonly toAccount?: string;
  readonly amount?: number;
}

// A misread amount moves the wrong sum, so what is not plainly a number is none: `1.000,50`, `20%` and `5k` are asked about.
const VERB = String.raw`(?:transfer|send|pay|wire|move|remit)`;
const CURRENCY = String.raw`(?:[$€£¥]|usd|eur|gbp|chf|dollars?|euros?|pounds?|bucks?)`;
const NUMBER = String.raw`(?<![\p{L}\d.,_-])-?(?:\d{1,3}(?:[,_]\d{3})+|\d+)(?:\.\d{1,2})?(?![\p{L}\d%]|[.,]\d)`;
const AMOUNT = String.raw`(?:${CURRENCY}\s*)?(?<amount>${NUMBER})(?:\s*${CURRENCY}(?!\p{L}))?`;
const NAME = String.raw`[\p{L}\p{N}][\p{L}\p{M}\p{N}_.@-]*`;
const FILLER = String.raw`(?:to|into)\s+(?:(?:the|my|his|her|their)\s+)?(?:(?:bank\s+)?account\s+(?:(?:of|number|no\.?|#)\s*)?)?`;
const ACCOUNT = String.raw`${FILLER}(?:"(?<quoted>[^"]+)"|(?<account>${NAME}))`;

const FORMS = [
  new RegExp(String.raw`${AMOUNT}\s+(?:each\s+)?${ACCOUNT}`, 'giu'),
  new RegExp(String.raw`\b${VERB}\s+(?!to\b|into\b)(?<account>${NAME})\s+${AMOUNT}`, 'giu'),
  new RegExp(String.raw`\b${VERB}\s+${ACCOUNT}[\s,:]+${AMOUNT}`, 'giu'),
];
/** `… to A, B and C`: an account has a capital or a digit, or stands at the end, so that `and tell me` is none. */
const FURTHER =
  /^\s*(?:,\s*and\s+|,\s*|\s+and\s+|&\s*)(?:to\s+)?(?<account>[\p{L}\p{N}][\p{L}\p{M}\p{N}_.@-]*)(?![\p{L}\p{M}\p{N}_@-])(?!\s+(?:to|into)\b)/iu;
const NO_ACCOUNT = /^(?:please|now|today|thanks?|then|again|it|that|-?\d+(?:\.\d+)?)$/iu;

const HAS_VERB = new RegExp(String.raw`\b${VERB}\b`, 'iu');
const IS_ABOUT_MONEY = new RegExp(
  String.raw`\b(?:transfer|wire|remit|pay)\b|\b(?:send|move)\b.*(?:\b(?:money|funds|cash)\b|${AMOUNT.replace('?<amount>', '?:')}\s*$)`,
  'isu',
);
const IS_QUESTION =
  /^\W*(?:how|why|what|when|who|which|did|do you|does|have|has|is|was|were|are|should|if)\b/iu;
const TAKES_BACK = new RegExp(
  String.raw`\b(?:don['’]?t|do not|never|not|cancel|undo|reverse|revert|stop|abort|without)\b.*\b${VERB}\b`,
  'isu',
);

function amountOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number(text.replaceAll(/[,_]/gu, ''));
}

function accountOf(groups: Readonly<Record<string, string | undefined>> | undefined): string | undefined {
  return groups?.['quoted'] ?? groups?.['account']?.replace(/[.@-]+$/u, '');
}

function furtherAccounts(rest: string): readonly string[] {
  const match = FURTHER.exec(rest);
  const account = accountOf(match?.groups);
  if (match === null || account === undefined || NO_ACCOUNT.test(account)) return [];
  const after = rest.slice(match[0].length);
  const isName = /[\p{Lu}\d]/u.test(account) || /^\s*(?:$|[.!,;]|and\b|each\b)/iu.test(after);
  return isName ? [account, ...furtherAccounts(after)] : [];
}

function orders(form: RegExp, text: string): readonly TransferOrder[] {
  return [...text.matchAll(form)].flatMap((match): readonly TransferOrder[] => {
    const amount = amountOf(match.groups?.['amount']);
    const toAccount = accountOf(match.groups);
    if (amount === undefined || toAccount === undefined) return [];
    const further = furtherAccounts(text.slice(match.index + match[0].length));
    return [toAccount, ...further].map((account) => ({ toAccount: account, amount }));
  });
}

/** An amount that stands in a text. */
export function parseAmount(text: string): number | undefined {
  return amountOf(new RegExp(AMOUNT, 'iu').exec(text)?.groups?.['amount']);
}

/** The one number, or the one account, of an order that lacks the other. */
function partOfOrder(text: string): TransferOrder {
  const amount = parseAmount(text);
  const toAccount = accountOf(new RegExp(ACCOUNT, 'iu').exec(text)?.groups);
  return { ...(amount !== undefined && { amount }), ...(toAccount !== undefined && { toAccount }) };
}

/** What a text says about transfers. */
export type TransferTalk =
  /** In the order of the text. One of which a part is missing comes alone, with what it has. */
  | { readonly type: 'orders'; readonly orders: readonly TransferOrder[] }
  /** It speaks of a transfer and asks for none: a question, a "do not", a cancel. */
  | { readonly type: 'no-order' };

/** The transfers that a text asks for; `undefined` where it is about something else. */
export function parseTransfers(text: string): TransferTalk | undefined {
  if (!HAS_VERB.test(text)) return undefined;
  const whole = FORMS.map((form) => orders(form, text)).find((found) => found.length > 0);
  if (whole === undefined && !IS_ABOUT_MONEY.test(text)) return undefined;
  if (IS_QUESTION.test(text) || TAKES_BACK.test(text)) return { type: 'no-order' };
  return { type: 'orders', orders: whole ?? [partOfOrder(text)] };
}
