// What is escaped before it is shown.

import { mutant } from '../mutant.mjs';

const places = 'test/screen/question.test.ts';
const escape = 'test/core/escape.test.ts';
const width = 'test/core/width.test.ts';
const question = 'test/human/question-text.test.ts';
const terminal = 'test/human/terminal.test.ts';
const safeText = 'test/render/safe-text.test.ts';
const renderText = [
  'test/render/text.test.ts',
  'test/render/terminal.test.ts',
  'test/render/transcript.test.ts',
];

export const showing = [
  mutant('nothing is escaped', 'src/core/text/escape.ts', [['inSlices(text, escapeToken)', 'text']], escape),
  mutant(
    'control characters are not escaped',
    'src/core/text/escape.ts',
    [['[\\\\\\p{Cc}', '[\\\\']],
    escape,
  ),
  mutant('format characters are not escaped', 'src/core/text/escape.ts', [['\\p{Cf}', '']], escape),
  mutant('surrogates are not escaped', 'src/core/text/escape.ts', [['\\p{Cs}\\p{Co}', '\\p{Co}']], escape),
  mutant('private characters are not escaped', 'src/core/text/escape.ts', [['\\p{Co}', '']], escape),
  mutant('unassigned characters are not escaped', 'src/core/text/escape.ts', [['\\p{Cn}', '']], escape),
  mutant(
    'line separators are not escaped',
    'src/core/text/escape.ts',
    [['\\p{Zl}\\p{Zp}\\p{M}', '\\p{M}']],
    escape,
  ),
  mutant('other spaces are not escaped', 'src/core/text/escape.ts', [['|(?! )\\p{Zs}`', '`']], escape),
  mutant('marks pile up', 'src/core/text/escape.ts', [['(?:${MARK}){1,2}`', '(?:${MARK}){1,9}`']], escape),
  mutant(
    'letters that extend others stand in runs',
    'src/core/text/escape.ts',
    [['${PARTS}${YOUNG}${IGNORABLE}${BLANK}', '${YOUNG}${IGNORABLE}${BLANK}']],
    width,
  ),
  mutant(
    'what terminals do not know is shown',
    'src/core/text/escape.ts',
    [['${PARTS}${YOUNG}${IGNORABLE}${BLANK}', '${PARTS}${IGNORABLE}${BLANK}']],
    width,
  ),
  mutant(
    'letters that extend others take no column',
    'src/core/text/width.ts',
    [['[\\p{Mn}\\p{Me}\\p{Cc}', '[\\p{M}\\p{Lm}\\p{Cc}']],
    width,
  ),
  mutant(
    'young marks take no column',
    'src/core/text/width.ts',
    [['character === EMOJI_SELECTOR || patterns.youngMark.test(character)', 'character === EMOJI_SELECTOR']],
    width,
  ),
  mutant(
    'rows wider than the screen are written',
    'src/human/device/region.ts',
    [['if (taken <= columns) return { text, columns: taken };', 'return { text, columns: taken };']],
    'test/human/terminal-region.test.ts',
  ),
  mutant(
    'the terminal breaks rows of a question',
    'src/human/device/sequences.ts',
    [['return WRAP_OFF + rows + WRAP_ON;', 'return rows;']],
    'test/human/terminal-region.test.ts',
  ),
  mutant(
    'a question that the screen has no room for is approved',
    'src/human/look/asked-window.ts',
    [['if (!this.#fits) return TOO_SMALL;', '']],
    terminal,
  ),
  mutant(
    'backslashes are not doubled',
    'src/core/text/escape.ts',
    [["return '\\\\\\\\';", "return '\\\\';"]],
    escape,
  ),
  mutant(
    'runs of spaces are not folded',
    'src/core/text/escape.ts',
    [['const LONG_RUN = / {9}/', 'const LONG_RUN = / {900}/']],
    escape,
  ),
  mutant(
    'a key of a question is not escaped',
    'src/human/values/value-rows.ts',
    [['plainKeyPattern().test(key) ? escapeText(key) : quoted(key)', 'key']],
    question,
    terminal,
    places,
  ),
  mutant(
    'a bare text of a question is not escaped',
    'src/human/values/value-rows.ts',
    [['return bare ? escapeText(text) : quoted(text);', 'return bare ? text : quoted(text);']],
    question,
    terminal,
    places,
  ),
  mutant(
    'a quoted text of a question is not escaped',
    'src/human/values/value-rows.ts',
    [["`\"${escapeText(text).replaceAll('\"', '\\\\u{22}')}\"`", '`"${text}"`']],
    question,
    terminal,
    places,
  ),
  mutant(
    'lines of a question are not escaped',
    'src/human/values/value-rows.ts',
    [['of escapeLines(piece.text)', "of piece.text.split('\\n')"]],
    question,
    terminal,
    places,
  ),
  mutant(
    'the name of a tool in a question is not escaped',
    'src/core/title/title.ts',
    [['const shown = plainLine(name, NAME_COLUMNS);', 'const shown = name;']],
    question,
    terminal,
    places,
  ),
  mutant(
    'the origin of a tool is not escaped',
    'src/human/question/words.ts',
    [[': plainLine(tool.origin, NAME_COLUMNS);', ': tool.origin;']],
    question,
    terminal,
    places,
  ),
  mutant(
    'a difference is not escaped',
    'src/human/question/question-parts.ts',
    [['text: escapeText(line) }', 'text: line }']],
    question,
    terminal,
    places,
  ),
  mutant(
    'a warning is not escaped',
    'src/human/question/interrupt-warnings.ts',
    [['escapeText(bareText(text))', 'bareText(text)']],
    'test/human/warnings.test.ts',
    question,
    terminal,
    places,
  ),
  mutant(
    'a label to choose is not escaped',
    'src/human/prompt/pick-rows.ts',
    [['wrapped(escapeText(text), MOST_ROWS)', 'wrapped(text, MOST_ROWS)']],
    'test/human/prompt-choices.test.ts',
    terminal,
  ),
  mutant(
    'text of a model is not escaped',
    'src/render/safe-text.ts',
    [['return safe + escapeText(unix.slice(from));', 'return safe + unix.slice(from);']],
    safeText,
  ),
  mutant(
    'code of a model is not escaped',
    'src/render/markdown/stream.ts',
    [['const safe = safeText(line);', 'const safe = line;']],
    'test/render/markdown.test.ts',
  ),
  mutant(
    'links of a model are not escaped',
    'src/render/markdown/inline.ts',
    [['const url = safeText(decodeEntities(token.href));', 'const url = decodeEntities(token.href);']],
    'test/render/markdown.test.ts',
  ),
  mutant(
    'outputs of tools are not escaped',
    'src/render/value-line.ts',
    [['"${escapeText(head)', '"${(head)']],
    'test/render/value-line.test.ts',
    renderText,
  ),
  mutant(
    'blocks of values are not escaped',
    'src/render/value-block.ts',
    [['escapeLines(value).map', "value.split('\\n').map"]],
    renderText,
  ),
  mutant(
    'columns of a table are not escaped',
    'src/render/table.ts',
    [['escapeText(column.text(row))', 'column.text(row)']],
    'test/render/table.test.ts',
  ),
  mutant(
    'an error of a run is not escaped',
    'src/render/ended-lines.ts',
    [
      [
        "const error = `${theme.failure('error:')} ${escapeText(words)}`",
        "const error = `${theme.failure('error:')} ${words}`",
      ],
    ],
    renderText,
  ),
];
