/**
 * The script of the pages. It shows what changed elsewhere, keeps what somebody is typing, and moves to a way by its
 * key; it answers nothing, and every page works without it.
 */
export const SCRIPT = `
const find = () => document.querySelector('main');
let typed = false;
let wanted = false;
let asking = false;
addEventListener('input', () => { typed = true; });
addEventListener('submit', (event) => {
  setTimeout(() => { for (const button of event.target.querySelectorAll('button')) button.disabled = true; });
});
addEventListener('pageshow', () => { for (const button of document.querySelectorAll('button')) button.disabled = false; });
async function look() {
  wanted = true;
  if (asking) return;
  asking = true;
  try {
    while (wanted) {
      wanted = false;
      const now = find();
      if (!now || !now.dataset.live) return;
      const response = await fetch(now.dataset.live, { headers: { accept: 'text/html' } });
      if (response.status === 401) return location.reload();
      if (!response.ok) return;
      const page = new DOMParser().parseFromString(await response.text(), 'text/html');
      const fresh = page.querySelector('main');
      if (!fresh || fresh.dataset.state === now.dataset.state) continue;
      const isOver = now.dataset.open !== undefined && fresh.dataset.open === undefined;
      if ((typed || now.dataset.keep !== undefined) && !isOver) {
        document.querySelector('#news').textContent = 'Something changed here. Reload the page to see it.';
        continue;
      }
      const hadFocus = now.contains(document.activeElement);
      typed = false;
      now.replaceWith(document.adoptNode(fresh));
      document.title = page.title;
      document.querySelector('#news').textContent = isOver ? 'This question was answered elsewhere.' : '';
      if (hadFocus) (find().querySelector('h1') || find()).focus();
    }
  } catch {
    // the server is away: the stream tells when it is back
  } finally {
    asking = false;
  }
}
const stream = new EventSource('/v1/stream');
stream.onopen = look;
stream.onmessage = look;
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
`;
