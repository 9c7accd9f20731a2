import { describe, expect, test } from 'vitest';

import { createTheme, hasManyColours, wantsColour, isLightTerminal } from '../../src/render/index.js';

type Case = readonly [boolean, string, boolean, Readonly<Record<string, string>>, (boolean | undefined)?];

describe('colours (E7)', () => {
  test.for<Case>([
    [true, 'on a terminal', true, {}],
    [false, 'not elsewhere', false, {}],
    [false, 'not with NO_COLOR', true, { NO_COLOR: '1' }],
    [true, 'with an empty NO_COLOR', true, { NO_COLOR: '' }],
    [false, 'not with HITL_NO_COLOR', true, { HITL_NO_COLOR: '1' }],
    [false, 'not on a dumb terminal', true, { TERM: 'dumb' }],
    [true, 'elsewhere with FORCE_COLOR', false, { FORCE_COLOR: '1' }],
    [true, 'with an empty FORCE_COLOR', false, { FORCE_COLOR: '' }],
    [false, 'not with FORCE_COLOR=0', true, { FORCE_COLOR: '0' }],
    [true, 'with FORCE_COLOR and NO_COLOR', false, { FORCE_COLOR: '3', NO_COLOR: '1', TERM: 'dumb' }],
    [false, 'not with --no-color and FORCE_COLOR', true, { FORCE_COLOR: '1' }, false],
    [true, 'with --color and NO_COLOR', false, { NO_COLOR: '1' }, true],
  ])('%s: %s', ([wanted, , isTTY, env, flag]) => {
    expect(wantsColour({ isTTY, env, flag })).toBe(wanted);
  });

  test('are those that were decided on, whatever the environment says', () => {
    expect(createTheme({ colour: true }).failure('x')).toBe('\u001B[31mx\u001B[39m');
    const theme = createTheme({ colour: false });
    const styled = Object.values(theme).flatMap((style) => (typeof style === 'function' ? [style('x')] : []));
    expect(new Set(styled)).toEqual(new Set(['x']));
  });

  test.for<readonly [boolean, string | undefined]>([
    [false, undefined],
    [false, ''],
    [false, '15;0'],
    [false, '0;default'],
    [false, '0;8'],
    [false, '0;99'],
    [true, '0;15'],
    [true, '0;default;15'],
    [true, '0;7'],
  ])('on a light background (%s for COLORFGBG=%s) what is pale there is darker', ([light, value]) => {
    expect(isLightTerminal({ COLORFGBG: value })).toBe(light);
    const theme = createTheme({ colour: true, light });
    expect([theme.warning('x'), theme.code('x'), theme.success('x'), theme.failure('x')]).toEqual(
      (light ? ['38;5;130', '38;5;30', '38;5;28', '31'] : ['33', '36', '32', '31']).map(
        (code) => `\u001B[${code}mx\u001B[39m`,
      ),
    );
  });

  test.for<readonly [boolean, Readonly<Record<string, string>>]>([
    [false, {}],
    [false, { TERM: 'xterm' }],
    [true, { TERM: 'xterm-256color' }],
    [true, { TERM: 'xterm-kitty' }],
    [true, { TERM: 'xterm', COLORTERM: 'truecolor' }],
    [false, { TERM: 'xterm-256color', FORCE_COLOR: '1' }],
    [true, { TERM: 'xterm', FORCE_COLOR: '2' }],
  ])('rows that changed have a background (%s) where there are 256 colours: %j', ([many, env]) => {
    expect(hasManyColours(env)).toBe(many);
    const { grounds } = createTheme({ colour: true, many });
    const shown = grounds && [grounds.removed.row('x'), grounds.added.words('x')];
    expect(shown).toEqual(many ? ['\u001B[48;5;52mx\u001B[49m', '\u001B[48;5;28mx\u001B[49m'] : undefined);
    expect(createTheme({ colour: false, many }).grounds).toBeUndefined();
  });

  test('on a light background the rows that changed are light', () => {
    const { grounds } = createTheme({ colour: true, many: true, light: true });
    expect([grounds?.removed.row('x'), grounds?.added.row('x')]).toEqual([
      '\u001B[48;5;224mx\u001B[49m',
      '\u001B[48;5;194mx\u001B[49m',
    ]);
  });

  test('our own symbols can be plain ASCII', () => {
    const { symbols } = createTheme({ colour: false, ascii: true });
    expect(Object.values(symbols).filter((symbol) => !/^[ -~]+$/.test(symbol))).toEqual([]);
  });
});
