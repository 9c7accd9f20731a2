/** One transfer that a text asks for; a member that the text does not name is absent. */
export interface TransferOrder {
  readonly toAccount?: string;
  readonly amount?: number;
}

const VERB = String.raw`(?:transfer|send|pay|wire|move|remit)`;
const CURRENCY = String.raw`(?:[$€£¥]|usd|eur|gbp|chf|dollars?|euros?|pounds?|bucks?)`;
const NUMBER = String.raw`-?\d+(?:[,_]\d{3})*(?:\.\d+)?`;
const AMOUNT = String.raw`(?:${CURRENCY}\s*)?(?<amount>${NUMBER})(?![\p{L}\d])(?:\s*${CURRENCY}(?!\p{L}))?`;
const NAME = String.raw`[\p{L}\p{N}][\p{L}\p{M}\p{N}_.@-]*`;
const FILLER = String.raw`(?:(?:to|into)\s+)(?:(?:the|my|his|her|their)\s+)?(?:(?:bank\s+)?account\s+(?:(?:of|number|no\.?|#)\s*)?)?`;
const ACCOUNT = String.raw`${FILLER}(?:"(?<quoted>[^"]+)"|(?<account>${NAME}))`;

const TO_FORM = new RegExp(String.raw`${AMOUNT}\s+(?:each\s+)?${ACCOUNT}`, 'giu');
const PERSON_FORM = new RegExp(String.raw`\b${VERB}\s+(?!to\b)(?<account>${NAME})\s+${AMOUNT}`, 'giu');
const ACCOUNT_FIRST_FORM = new RegExp(String.raw`\b${VERB}\s+${ACCOUNT}[\s,:]+${AMOUNT}`, 'giu');
/** `… to A, B and C`: what follows must look like an account, so that `and tell me` is none. */
const FURTHER =
  /^\s*(?:,\s*and\s+|,\s*|\s+and\s+(?:to\s+)?|&\s*)(?<account>(?=\S*[\p{Lu}\d])[\p{L}\p{N}][\p{L}\p{M}\p{N}_.@-]*)(?!\s*(?:to\b|\.\d))/u;
const ASKS = new RegExp(
  String.raw`\b${VERB}\b(?=.*(?:${NUMBER}|\bmoney\b|\bfunds\b|\bto\b))|\b(?:a|another|new)\s+(?:bank\s+)?transfer\b`,
  'isu',
);

function amountOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number(text.replaceAll(/[,_]/gu, ''));
}

function accountOf(groups: Readonly<Record<string, string | undefined>>): string | undefined {
  return groups['quoted'] ?? groups['account']?.replace(/[.@-]+$/u, '');
}

function orders(form: RegExp, text: string): readonly TransferOrder[] {
  return [...text.matchAll(form)].flatMap((match): readonly TransferOrder[] => {
    const amount = amountOf(match.groups?.['amount']);
    const toAccount = accountOf(match.groups ?? {});
    if (amount === undefined || toAccount === undefined) return [];
    const further = furtherAccounts(text.slice(match.index + match[0].length));
    return [toAccount, ...further].map((account) => ({ toAccount: account, amount }));
  });
}

function furtherAccounts(rest: string): readonly string[] {
  const match = FURTHER.exec(rest);
  const account = match === null ? undefined : accountOf(match.groups ?? {});
  if (match === null || account === undefined || /^\d+(?:\.\d+)?$/u.test(account)) return [];
  return [account, ...furtherAccounts(rest.slice(match[0].length))];
}

/** The one number, or the one account, of an order that lacks the other. */
function partOfOrder(text: string): TransferOrder {
  const amount = amountOf(new RegExp(AMOUNT, 'iu').exec(text)?.groups?.['amount']);
  const toAccount = accountOf(new RegExp(ACCOUNT, 'iu').exec(text)?.groups ?? {});
  return { ...(amount !== undefined && { amount }), ...(toAccount !== undefined && { toAccount }) };
}

/**
 * The transfers that a text asks for, in the order of the text; none where it is about something else.
 * An order of which a part is missing comes alone, with what it has.
 */
export function parseTransfers(text: string): readonly TransferOrder[] {
  if (!ASKS.test(text)) return [];
  for (const form of [TO_FORM, PERSON_FORM, ACCOUNT_FIRST_FORM]) {
    const found = orders(form, text);
    if (found.length > 0) return found;
  }
  return [partOfOrder(text)];
}

/** An amount that stands alone in an answer. */
export function parseAmount(text: string): number | undefined {
  return amountOf(new RegExp(AMOUNT, 'iu').exec(text)?.groups?.['amount']);
}
