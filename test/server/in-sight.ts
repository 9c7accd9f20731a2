import type { ShownTexts } from './shown-scenes.js';

/** Looks for every text that is expected, with its own eyes and none of the page's; what is wrong with each. */
export const LOOK = (expected: ShownTexts): string => `(async () => {
  const expected = ${JSON.stringify(expected)};
  const faults = [];
  const card = document.querySelector('article');
  const room = card.getBoundingClientRect();
  const same = (left, right) => left.replace(/\\s+/g, ' ').trim() === right.replace(/\\s+/g, ' ').trim();
  const spots = [];
  const check = (name, element, text, around = room) => {
    if (text.trim() === '') return;
    if (!element || !same(element.textContent, text)) {
      faults.push(name + ' is not there: ' + text.slice(0, 60) + ' / ' + (element?.textContent ?? 'nothing').slice(0, 60));
      return;
    }
    const range = document.createRange();
    range.selectNodeContents(element);
    const rects = [...range.getClientRects()].filter(({ width, height }) => width > 0 && height > 0);
    if (rects.length === 0) faults.push(name + ' has no box: ' + text.slice(0, 60));
    for (const { left, right } of rects)
      if (left < around.left || right > around.right + 1 || left < 0 || right > innerWidth) {
        faults.push(name + ' is outside, ' + Math.round(left) + ' to ' + Math.round(right) + ' of ' + Math.round(around.right) + ': ' + text.slice(0, 60));
        break;
      }
    const step = Math.max(1, Math.floor(rects.length / 40));
    rects.filter((_, at) => at % step === 0 || at === rects.length - 1).forEach((rect) =>
      spots.push({ name, element, x: rect.left + rect.width / 2, y: rect.top + scrollY + rect.height / 2 }));
  };
  check('title', card.querySelector('.what'), expected.title);
  const lines = [...card.querySelectorAll(':scope > .lines > .line')];
  if (lines.length !== expected.lines.length) faults.push(lines.length + ' lines in place of ' + expected.lines.length);
  let last = -Infinity;
  expected.lines.forEach(({ label, text, note }, at) => {
    const line = lines[at];
    check('label', line?.querySelector('.label'), label);
    check('text', line?.querySelector('.text'), text);
    check('note', line?.querySelector('.note'), note);
    const box = line?.getBoundingClientRect();
    if (box && (box.top < last - 1 || box.height < 10)) faults.push('a row is out of place: ' + text.slice(0, 60));
    last = box?.bottom ?? last;
  });
  // A form that is not offered here has nothing to show.
  const isOffered = document.querySelector('form[data-yes]') !== null;
  const ways = document.querySelector('section[aria-labelledby]');
  const section = ways.getBoundingClientRect();
  const names = [...ways.querySelectorAll('label, legend, .pick span, .field')];
  for (const text of isOffered ? expected.form : []) {
    const own = (element) => [...element.childNodes].filter((node) => !node.classList?.contains('dim'));
    const found = names.find((element) => same(own(element).map((node) => node.textContent).join(''), text) || same(element.textContent, text));
    if (found) check('field', found, found.textContent, section);
    else faults.push('no field: ' + text.slice(0, 60));
  }
  for (const field of document.querySelectorAll('form[data-yes] input[type=text], form[data-yes] textarea'))
    if (field.clientWidth > 0 && field.value !== '' && (field.scrollWidth > field.clientWidth + 1 || field.scrollHeight > field.clientHeight + 1))
      faults.push('a field scrolls its value away: ' + field.value.slice(0, 60));
  spots.sort((one, other) => one.y - other.y);
  const every = Math.ceil(spots.length / 1_000);
  for (const [at, spot] of spots.entries()) {
    if (at % every !== 0 && at < spots.length - 20) continue;
    if (spot.y - scrollY < 1 || spot.y - scrollY > innerHeight - 1) scrollTo(0, spot.y - 10);
    const hit = document.elementFromPoint(spot.x, spot.y - scrollY);
    if (!hit || !spot.element.contains(hit)) faults.push(spot.name + ' is covered: ' + spot.element.textContent.slice(0, 60));
  }
  scrollTo(0, 0);
  if (document.documentElement.scrollWidth > innerWidth) faults.push('the page scrolls sideways');
  return [...new Set(faults)];
})()`;

/** The buttons of a yes: whether they may be pressed, and whether they stand behind the whole question. */
export const BUTTONS = `(() => {
  const end = document.querySelector('article').getBoundingClientRect().bottom;
  const buttons = [...document.querySelectorAll('form[data-yes] button')];
  return {
    open: buttons.filter(({ disabled }) => !disabled).length,
    held: buttons.filter(({ disabled }) => disabled).length,
    early: buttons.filter((button) => button.getBoundingClientRect().height > 0 && button.getBoundingClientRect().top < end).length,
    words: document.querySelector('#held')?.textContent ?? '',
  };
})()`;
