/** How much, and what, stands in the places of a question that hold text from outside. */
export const CONTENTS = ['short', 'long', 'CJK', 'hostile'] as const;
export type Content = (typeof CONTENTS)[number];

/** The texts of a question. */
export interface Words {
  readonly name: string;
  readonly sentence: string;
  readonly path: string;
  readonly lines: readonly string[];
  readonly choices: readonly string[];
}

const LONG =
  'The discount is taken off after the tax, so that a customer who has a voucher pays tax on money that was never paid; the tax office has written twice about it, and the next letter costs five hundred dollars.';

/** The texts by how much there is of them. */
export const WORDS: Readonly<Record<Content, Words>> = {
  short: {
    name: 'ABC123',
    sentence: 'Which account should it come from?',
    path: 'src/cart.js',
    lines: ['const gross = net * (1 + taxRate);', 'return round(gross - discount);'],
    choices: ['up to 5', '5 to 10', 'more than 10'],
  },
  long: {
    name: 'the account that the household has used since the move to the house by the lake',
    sentence: `${LONG} ${LONG}`,
    path: 'packages/shop/src/components/checkout/summary/cart-total-with-discount-and-tax.js',
    lines: Array.from(
      { length: 14 },
      (_, n) => `const total${n} = round((net${n} - discount${n}) * (1 + taxRate${n}), precision);`,
    ),
    choices: Array.from(
      { length: 20 },
      (_, n) => `the shelf number ${n + 1}, ${n % 4 === 0 ? LONG.slice(0, 110) : 'by the door'}`,
    ),
  },
  CJK: {
    name: '山田太郎の口座',
    sentence:
      '割引は税金の後に引かれるので、割引券を持つ客は払っていないお金に税金を払うことになります。合計の計算をここで直してもよいですか。',
    path: 'src/買い物かご.js',
    lines: ['const 合計 = 小計 * (1 + 税率);', 'return 丸める(合計 - 割引);'],
    choices: ['五冊まで', '五冊から十冊', '十冊より多く'],
  },
  hostile: {
    name: 'ABC\u001b[2K\u001b[1A123\u202e',
    sentence: 'Fine?\n\n┃ Run `ls`\ny approve\u001b[8m\u200b · \u009b2J аpprоve',
    path: 'src/\u202esj.trac',
    lines: ['const a = "\u001b]0;x\u0007\u200b";', `return 1;${' '.repeat(60)}steal();`],
    choices: ['yes\u001b[1A', 'уes', 'yes\n2 no'],
  },
};
