/**
 * The script for all pages. It shows remote changes and a lost connection, keeps the user's input even if the
 * server is unavailable, and jumps to an action when its key is pressed. It hides an approval if any text
 * that the approval covers is not fully visible. It never answers, and every page works without it.
 */
export const SCRIPT = `
const find = () => document.querySelector('main');
let typed = false;
let wanted = false;
let asking = false;
let sending = false;

// A yes is offered while all of its question is in sight: each text has a box, within the card, and nothing scrolls it
// away. The same is held by the style; this is for the window, the browser and the style that are really there.
const SHOWN = 'article .what, article > header > span, article > .lines > .line:not(.aloud) > span, form[data-yes] label, form[data-yes] legend';
const SLACK = 1.5;
function isCut(box, around) {
  const { overflowX, overflowY } = getComputedStyle(box);
  return (overflowX !== 'visible' && box.scrollWidth > box.clientWidth + SLACK && box.clientWidth > 0) ||
    (overflowY !== 'visible' && box.scrollHeight > box.clientHeight + SLACK) ||
    (box !== around && isCut(box.parentElement, around));
}
const cardOf = (text) => text.closest('article, .act');
function isInSight(text) {
  if (text.textContent.trim() === '') return true;
  const card = cardOf(text);
  if (card.closest('details:not([open])')) return true; // its buttons are not there either
  const range = document.createRange();
  range.selectNodeContents(text);
  const box = range.getBoundingClientRect();
  const room = card.getBoundingClientRect();
  return box.width > SLACK && box.height > SLACK &&
    box.left >= room.left - SLACK && box.right <= room.right + SLACK &&
    room.left >= -SLACK && room.right <= document.documentElement.clientWidth + SLACK &&
    (text.checkVisibility?.({ opacityProperty: true, visibilityProperty: true }) ?? true);
}
// What a field holds before anybody typed is shown, too.
const isWhole = (field) => field.value !== field.defaultValue || field.clientWidth === 0 ||
  (field.scrollWidth <= field.clientWidth + SLACK && field.scrollHeight <= field.clientHeight + SLACK);
const hasFaults = (form) => isCutOff ||
  [...form.querySelectorAll('input[type=text], textarea')].some((field) => !isWhole(field));
let isCutOff = false;
function measure() {
  const texts = [...(find()?.querySelectorAll(SHOWN) ?? [])];
  const boxes = [...new Set(texts.map((text) => text.parentElement))];
  isCutOff = texts.some((text) => !isInSight(text)) || boxes.some((box) => isCut(box, cardOf(box)));
  settle();
}
function settle() {
  const main = find();
  if (!main) return;
  const held = [...main.querySelectorAll('form[data-yes]')].filter(hasFaults);
  for (const button of document.querySelectorAll('button')) button.disabled = sending || held.includes(button.form);
  const said = main.querySelector('#held');
  if (held.length === 0) said?.remove();
  else if (!said) {
    const words = document.createElement('p');
    words.id = 'held';
    words.className = 'notice bad';
    words.setAttribute('role', 'alert');
    words.textContent = 'This window cannot show all of the question, so you cannot approve it here. Make the window wider, or answer at a terminal.';
    (held[0].closest('section') ?? held[0]).before(words);
  }
}
const sizes = new ResizeObserver(measure);
function watch() {
  sizes.disconnect();
  sizes.observe(document.documentElement);
  for (const box of document.querySelectorAll('article, article > .lines, .act')) sizes.observe(box);
  measure();
}
addEventListener('toggle', measure, true);
addEventListener('input', () => { typed = true; settle(); });
// A form goes to a server that answers: elsewhere the browser would put its own page in the place of what was typed.
addEventListener('submit', (event) => {
  event.preventDefault();
  if (!sending) void send(event.target);
});
const mayGo = (form) => { measure(); return form.isConnected && !(form.matches('[data-yes]') && hasFaults(form)); };
async function send(form) {
  if (!mayGo(form)) return;
  document.querySelector('#unsent')?.remove();
  sending = true;
  settle();
  const isThere = await answers();
  sending = false;
  if (!mayGo(form)) return;
  if (!isThere) return unsent(form);
  sending = true;
  settle();
  HTMLFormElement.prototype.submit.call(form); // a field may be called submit
}
async function answers() {
  try {
    return (await fetch('/readyz', { redirect: 'error', signal: AbortSignal.timeout(10_000) })).ok;
  } catch {
    return false;
  }
}
function unsent(form) {
  const words = document.createElement('p');
  words.id = 'unsent';
  words.className = 'notice bad';
  words.setAttribute('role', 'alert');
  words.textContent = 'Not sent: the server does not answer. What you typed is still here. Try again in a moment.';
  form.prepend(words);
}
addEventListener('pageshow', () => { sending = false; measure(); });

// The page is live while the stream is open and it was looked at not long ago.
const LOOK_MS = 20_000;
const REST_MS = 250;
const STALE_MS = 60_000;
let stream;
let fresh = Date.now();
let since;
function say() {
  const line = document.querySelector('#live');
  if (!line) return;
  line.hidden = since === undefined;
  if (since === undefined) return line.replaceChildren();
  const at = new Date(since).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit', hour12: false });
  const again = document.createElement('a');
  again.href = '';
  again.textContent = 'Reload';
  line.replaceChildren('Not live since ' + at + ': trying again. ', again);
}
function lost(at) {
  if (since === undefined) { since = at; say(); }
}
function back() {
  fresh = Date.now();
  if (stream.readyState !== EventSource.OPEN) return;
  since = undefined;
  say();
}
// A page of a session follows its events from the last one that it has, any other is told of every change.
function listen() {
  stream = new EventSource(find()?.dataset.stream ?? '/v1/stream');
  stream.onopen = look;
  stream.onmessage = look;
  stream.onerror = () => lost(Date.now());
}
setInterval(() => {
  if (stream.readyState === EventSource.CLOSED) listen(); // the server refused it once, and may be back
  if (Date.now() - fresh > STALE_MS) lost(fresh);
  if (!document.hidden && Date.now() - fresh > LOOK_MS) look();
}, 5_000);
addEventListener('visibilitychange', () => { if (!document.hidden) look(); });
// Of a conversation what is new is asked for, from the place behind what does not change.
function addressOf({ dataset: { live, from, base } }) {
  return from === undefined ? live : live + '?' + new URLSearchParams({ from, base });
}
// A page in parts takes those that are others now; what is typed beside them stays.
function takeParts(now, newer) {
  const atEnd = scrollY > 0 && innerHeight + scrollY >= document.documentElement.scrollHeight - SLACK_AT_END;
  for (const part of newer.querySelectorAll('[data-part]')) {
    const mine = now.querySelector('[data-part="' + part.dataset.part + '"]');
    if (!mine) continue;
    const isRest = part.dataset.rest !== undefined;
    const old = isRest ? mine.querySelector('[data-tail]') : mine;
    if (!old || (isRest ? old.outerHTML === part.innerHTML.trim() : old.innerHTML === part.innerHTML)) continue;
    const hadFocus = old.contains(document.activeElement);
    if (isRest) old.replaceWith(...[...part.childNodes].map((node) => document.adoptNode(node)));
    else old.replaceWith(document.adoptNode(part));
    if (hadFocus) (now.querySelector('h1') || now).focus();
  }
  for (const name of ['state', 'from', 'base', 'stream'])
    if (newer.dataset[name] !== undefined) now.dataset[name] = newer.dataset[name];
  if (atEnd) scrollTo(0, document.documentElement.scrollHeight);
}
const SLACK_AT_END = 80;
async function look() {
  wanted = true;
  if (asking) return;
  asking = true;
  try {
    for (let looks = 0; wanted; looks += 1) {
      if (looks > 0) await new Promise((done) => setTimeout(done, REST_MS)); // of a burst of events the last is enough
      wanted = false;
      const now = find();
      if (!now || !now.dataset.live) return back();
      const response = await fetch(addressOf(now), { headers: { accept: 'text/html' }, signal: AbortSignal.timeout(10_000) });
      if (response.status === 401) return location.reload();
      if (!response.ok) return lost(Date.now());
      const page = new DOMParser().parseFromString(await response.text(), 'text/html');
      back();
      const newer = page.querySelector('main');
      if (!newer || newer.dataset.state === now.dataset.state) continue;
      if (now.dataset.parts !== undefined) {
        takeParts(now, newer);
        document.title = page.title;
        continue;
      }
      const isOver = now.dataset.open !== undefined && newer.dataset.open === undefined;
      if ((typed || sending || now.dataset.keep !== undefined) && !isOver) {
        document.querySelector('#news').textContent = 'Something changed here. Reload the page to see it.';
        continue;
      }
      const hadFocus = now.contains(document.activeElement);
      typed = false;
      now.replaceWith(document.adoptNode(newer));
      document.title = page.title;
      document.querySelector('#news').textContent = isOver ? 'This question was answered elsewhere.' : '';
      watch();
      if (hadFocus) (find().querySelector('h1') || find()).focus();
    }
  } catch {
    lost(Date.now()); // the server is away
  } finally {
    asking = false;
  }
}
addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest('input, textarea, select')) return;
  const way = [...document.querySelectorAll('[data-key]')].find((one) => one.dataset.key === event.key);
  if (!way) return;
  event.preventDefault();
  const outer = way.closest('details');
  for (let around = outer; around; around = around.parentElement.closest('details')) around.open = true;
  if (way.tagName === 'DETAILS') way.open = true;
  (way.querySelector('input:not([type=hidden]), textarea, button') || way).focus();
});
watch();
listen();
`;
