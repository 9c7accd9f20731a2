/**
 * The style sheet for all pages: light or dark, depending on the browser setting, and usable on phones.
 * Content covered by an approval is never scrolled or cut. Labels and texts wrap anywhere, and text that does
 * not fit next to its label starts below it.
 */
export const STYLE = `
:root {
  color-scheme: light dark;
  --page: #f6f7f9; --card: #ffffff; --text: #16191d; --dim: #57606a; --line: #d5dae0; --link: #0550ae;
  --ask: #8a5a00; --info: #0550ae; --bad: #b3261e; --good: #1a6b33; --stop: #6b3fa0;
  --added: #dbf2e1; --removed: #fbe3e1; --added-word: #9fdcb0; --removed-word: #f2b6b1; --warn: #fff2cf;
  --button: #1f2937; --button-text: #ffffff; --field: #ffffff;
  --mono: ui-monospace, "SF Mono", "Cascadia Mono", "DejaVu Sans Mono", Menlo, Consolas, monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #0f1216; --card: #181c22; --text: #e8eaed; --dim: #a3adb8; --line: #343b45; --link: #79b8ff;
    --ask: #f2c14e; --info: #79b8ff; --bad: #ff8a80; --good: #6fd08c; --stop: #c9a6f5;
    --added: #14351f; --removed: #401b1a; --added-word: #1f6334; --removed-word: #7a2a27; --warn: #3a2e0a;
    --button: #e8eaed; --button-text: #14171b; --field: #0f1216;
  }
}
* { box-sizing: border-box; }
[hidden] { display: none !important; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--page); color: var(--text); font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", sans-serif; overflow-wrap: anywhere; }
a { color: var(--link); text-underline-offset: .15em; }
a:focus-visible, button:focus-visible, input:focus-visible, textarea:focus-visible, summary:focus-visible { outline: 3px solid var(--info); outline-offset: 2px; border-radius: 4px; }
.skip { position: absolute; left: -99rem; }
.skip:focus { left: 1rem; top: .5rem; background: var(--card); padding: .5rem; z-index: 1; }
.top { display: flex; gap: 1.25rem; align-items: baseline; padding: .8rem 1rem; max-width: 52rem; margin: 0 auto; }
.top .name { font-weight: 700; font-family: var(--mono); color: var(--text); text-decoration: none; }
.top a { color: var(--dim); text-decoration: none; }
.top a[aria-current] { color: var(--text); text-decoration: underline; text-decoration-thickness: 2px; }
.top form { margin-left: auto; }
.top .who { color: var(--dim); }
main { max-width: 52rem; margin: 0 auto; padding: 0 1rem 4rem; }
.what { font: 600 1rem/1.5 var(--mono); margin: 0 0 .4rem; min-width: 0; }
.crumb { margin: 0; color: var(--dim); font-size: .9rem; unicode-bidi: isolate; }
.before { margin-bottom: 1rem; }
h1 { font-size: 1.35rem; line-height: 1.3; margin: .2rem 0 .6rem; }
h2 { font-size: 1rem; margin: 1.5rem 0 .6rem; }
p { margin: .5rem 0; }
.dim { color: var(--dim); font-size: .9rem; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 1rem; }
.question { border-left: 5px solid var(--ask); }
.question.calm { border-left-color: var(--info); }
.question.grave { border-left-color: var(--bad); }
.question.stop { border-left-color: var(--stop); }
.question header { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0 1rem; }
.lines { font: .9rem/1.5 var(--mono); --step: 1rem; }
.line { display: flex; flex-wrap: wrap; min-height: 1.5em; padding: 0 .4rem; border-radius: 3px; }
.line .label { white-space: break-spaces; color: var(--dim); flex: 0 1 auto; max-width: 100%; }
.line .text { white-space: break-spaces; min-width: 0; flex: 1 1 14ch; }
.line .text:empty { flex: 0 0 0; }
.line .note { color: var(--dim); flex: 0 1 auto; max-width: 100%; padding-left: 1.5rem; font-family: system-ui, sans-serif; }
.line.block .text { border-left: 2px solid var(--line); padding-left: .6rem; }
.own, .hidden { color: var(--dim); font-family: system-ui, sans-serif; }
.warning { background: var(--warn); font-family: system-ui, sans-serif; font-weight: 600; }
.added { background: var(--added); }
.removed { background: var(--removed); }
ins, del { text-decoration: none; border-radius: 2px; }
ins { background: var(--added-word); }
del { background: var(--removed-word); }
.in1 { padding-left: calc(.4rem + 1 * var(--step)); } .in2 { padding-left: calc(.4rem + 2 * var(--step)); } .in3 { padding-left: calc(.4rem + 3 * var(--step)); } .in4 { padding-left: calc(.4rem + 4 * var(--step)); }
.in5 { padding-left: calc(.4rem + 5 * var(--step)); } .in6 { padding-left: calc(.4rem + 6 * var(--step)); } .in7 { padding-left: calc(.4rem + 7 * var(--step)); } .in8 { padding-left: calc(.4rem + 8 * var(--step)); }
.aloud { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
details { margin: .7rem 0; }
summary { cursor: pointer; color: var(--dim); padding: .3rem 0; }
.acts { display: flex; flex-wrap: wrap; gap: .6rem; align-items: flex-start; margin: .9rem 0; }
.act { min-width: 0; margin: 0; }
.act.wide, .act[open] { flex: 1 1 100%; background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: .8rem 1rem; }
.act[open] { order: 1; }
.act > summary { list-style: none; font-weight: 600; color: var(--text); min-height: 2.75rem; padding: .55rem 1rem; border: 1px solid var(--dim); border-radius: 8px; }
.act > summary::-webkit-details-marker { display: none; }
.act > summary:hover { border-color: var(--text); }
.act[open] > summary { border: 0; padding: 0; min-height: 0; margin-bottom: .6rem; }
.act[open] > summary::after { content: " ×"; color: var(--dim); }
.act.more > summary { font-weight: 400; color: var(--dim); }
.helps { margin: .6rem 0 0; display: grid; gap: .5rem; }
.helps dt { font-weight: 600; } .helps dd { margin: 0; color: var(--dim); }
.row { display: flex; flex-wrap: wrap; gap: .6rem 1rem; align-items: center; }
.row .grow { flex: 1 1 14rem; }
label { display: block; font-size: .9rem; margin: .7rem 0 .2rem; }
.asked-for { border-left: 2px dashed var(--dim); padding-left: .8rem; margin: .2rem 0 .8rem; }
label.pick span { min-width: 0; }
label.pick { display: flex; gap: .6rem; align-items: baseline; font-size: 1rem; margin: .4rem 0; }
fieldset { border: 0; margin: 0; padding: 0; min-width: 0; }
legend { padding: 0; max-width: 100%; font-weight: 600; }
input[type=text], input[type=password], textarea { width: 100%; font: .95rem/1.4 var(--mono); color: var(--text); background: var(--field); border: 1px solid var(--dim); border-radius: 6px; padding: .55rem .6rem; }
textarea { resize: vertical; min-height: 2.6rem; max-width: 100%; field-sizing: content; }
form:not([data-yes]) textarea { max-height: 30rem; }
button { font: inherit; font-weight: 600; overflow-wrap: normal; min-height: 2.75rem; min-width: 6rem; padding: .45rem 1.1rem; border-radius: 8px; border: 1px solid var(--dim); background: transparent; color: var(--text); cursor: pointer; }
button:hover { border-color: var(--text); }
a.next { display: inline-block; font-weight: 600; padding: .6rem 1.1rem; border-radius: 8px; border: 1px solid var(--dim); color: var(--text); text-decoration: none; }
a.next:hover { border-color: var(--text); }
button.starts, a.next.starts { background: var(--button); color: var(--button-text); border-color: var(--button); }
button:disabled { opacity: .5; cursor: default; }
button.link { border: 0; min-height: 0; min-width: 0; padding: 0; color: var(--dim); font-weight: 400; text-decoration: underline; }
button::first-letter, .verb::first-letter { text-transform: uppercase; }
.verb { display: inline-block; }
.row { align-items: flex-end; }
.row .help { align-self: center; }
label:first-child { margin-top: 0; }
#news:empty { padding: 0; margin: 0; }
#live { color: var(--bad); font-weight: 600; }
.pick span, legend span { unicode-bidi: isolate; }
kbd { font: .8rem var(--mono); border: 1px solid var(--line); border-radius: 4px; padding: 0 .35rem; color: var(--dim); }
.list { list-style: none; padding: 0; margin: 0; display: grid; gap: .6rem; }
.list a.card { display: block; color: inherit; text-decoration: none; }
.list a.card:hover { border-color: var(--text); }
.list .asked { font-weight: 600; }
.list a.card { display: flex; flex-wrap: wrap; gap: 0 1rem; align-items: baseline; }
.list a.card .asked { flex: 1 1 60%; min-width: 0; }
.list a.card time, .decided time { color: var(--dim); font-size: .85rem; white-space: nowrap; }
.list a.card .about, .list a.card .waits { flex: 1 1 100%; min-width: 0; }
.list a.card .waits::before { content: "● "; color: var(--ask); }
.orders { display: flex; gap: 1rem; margin: .4rem 0 .8rem; }
.orders a { color: var(--dim); text-decoration: none; } .orders a[aria-current] { color: var(--text); text-decoration: underline; }
.filter input { flex: 1 1 10rem; width: auto; min-height: 2.75rem; }
.turn { margin: 0 0 1rem; min-width: 0; }
.turn .by, .node > .by { font-weight: 600; margin: 0 0 .2rem; }
.turn.user { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: .6rem 1rem; }
.turn .words { margin: .3rem 0; } .words { white-space: pre-wrap; }
.call { border-left: 3px solid var(--line); padding: .1rem 0 .1rem .8rem; margin: .6rem 0; min-width: 0; }
.call.done { border-left-color: var(--good); } .call.failed { border-left-color: var(--bad); } .call.waiting { border-left-color: var(--ask); }
.call p, .node p { margin: .15rem 0; }
.call .head b { font: 600 .95rem/1.5 var(--mono); } .call .mark { display: inline-block; width: 1.4em; }
.call.done .mark { color: var(--good); } .call.failed .mark, .failure { color: var(--bad); } .call.waiting .mark { color: var(--ask); }
.decided { font-size: .9rem; }
.code { font: .85rem/1.5 var(--mono); white-space: pre-wrap; background: var(--page); border: 1px solid var(--line); border-radius: 6px; padding: .4rem .6rem; margin: .4rem 0; }
code { font-family: var(--mono); font-size: .9em; }
.output, .tree { font: .85rem/1.5 var(--mono); white-space: pre-wrap; color: var(--dim); }
.call details, .node details { margin: .2rem 0; }
.node { border-left: 3px solid var(--line); padding-left: .8rem; margin: 1rem 0; }
p.waits { display: flex; flex-wrap: wrap; gap: .3rem .8rem; align-items: center; }
.say label { margin-top: 0; }
.say textarea { flex: 1 1 14rem; width: auto; min-height: 2.75rem; }
.said { border-left: 3px solid var(--line); padding-left: .8rem; margin: .8rem 0; }
.said .words { white-space: pre-wrap; }
.said.user { border-left-color: var(--info); }
.notice { padding: .7rem 1rem; border-radius: 8px; border: 1px solid var(--line); background: var(--card); margin: .8rem 0; }
.notice.good { border-left: 5px solid var(--good); }
.notice.bad { border-left: 5px solid var(--bad); }
.empty { text-align: center; color: var(--dim); padding: 4rem 1rem; }
@media (max-width: 30rem) { .line .note { padding-left: 0; } .top { gap: .9rem; flex-wrap: wrap; } .row button { flex: 1; } .acts { gap: .5rem; } .act > summary, div.act:not(.wide) button { padding-inline: .8rem; min-width: 0; } .card { padding: .75rem; } .lines { font-size: .82rem; --step: .5rem; } }
@media (forced-colors: active) { ins { text-decoration: underline; } del { text-decoration: line-through; } }
@media (prefers-reduced-motion: no-preference) { button, .list a.card { transition: border-color .12s; } }
`;
