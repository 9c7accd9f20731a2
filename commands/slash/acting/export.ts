import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { escapeText, messageOf, transcriptMessages, shown } from '../../../src/core/index.js';
import type { SlashHandler } from '../context.js';

/** `/save`: writes the transcript beside the journal now. */
export const save: SlashHandler = async (_argument, { session }, print) => {
  if (session.saveTranscript === undefined) {
    print(shown`nothing of this session is kept: there is nowhere to save it`);
    return;
  }
  await session.saveTranscript();
  print(shown`saved: hitl show ${session.id}`);
};

/** `/export <file>`: writes the transcript to a file that is not there yet. */
export const exportTo: SlashHandler = async (file, { io, session }, print) => {
  const path = resolve(io.cwd, file);
  try {
    const text = JSON.stringify({ id: session.id, messages: transcriptMessages(session.state) }, null, 2);
    await writeFile(path, `${text}\n`, { mode: 0o600, flag: 'wx' });
    print(shown`written: ${escapeText(path)}`);
  } catch (thrown) {
    print(shown`not written: ${escapeText(messageOf(thrown))}`);
  }
};
