// Runs in a pane of tmux: draws each text at the beginning of a row, asks the terminal where its cursor is, and writes the columns.
import { readFileSync, renameSync, writeFileSync } from 'node:fs';

const [, , input, output] = process.argv;
const texts = JSON.parse(readFileSync(input, 'utf8'));
/** Asked for together: what is answered waits in the pane's input. */
const TOGETHER = 400;
const columns = [];
let heard = '';
let sent = 0;

function sendMore() {
  const some = texts.slice(sent, sent + TOGETHER);
  sent += some.length;
  process.stdout.write(some.map((text) => `\r\u001b[2K${text}\u001b[6n`).join(''));
}

process.stdin.setRawMode(true);
process.stdin.on('data', (data) => {
  heard += data.toString('latin1');
  let end = 0;
  // oxlint-disable-next-line no-control-regex
  for (const match of heard.matchAll(/\u001b\[\d+;(\d+)R/g)) {
    columns.push(Number(match[1]) - 1);
    end = match.index + match[0].length;
  }
  heard = heard.slice(end);
  if (columns.length === sent && sent < texts.length) sendMore();
  if (columns.length < texts.length) return;
  writeFileSync(`${output}.new`, JSON.stringify(columns));
  renameSync(`${output}.new`, output);
  process.exit(0);
});
sendMore();
