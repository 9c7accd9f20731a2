import { joined, shown } from '../src/core/index.js';
import { editorDoor } from './acp/door.js';
import { loadAcpSdk } from '../src/models/acp/index.js';
import { EditorSessions } from './acp/sessions.js';
import { Signals } from './exit/signals.js';
import type { ApprovalFlags, OfferFlags } from './flags/options.js';
import type { Io } from './host/index.js';
import { protocolOutput, tell, version } from './host/index.js';

/**
 * Maximum size of a message from an editor, in bytes. It leaves room for an image in addition to the rest of
 * the message.
 */
const MOST_BYTES = 20_000_000;

/** `hitl acp`: serves an editor over stdin and stdout until it disconnects. */
export async function acp(io: Io, flags: OfferFlags & ApprovalFlags): Promise<number> {
  const sdk = await loadAcpSdk();
  if (io.stdin.isTTY && !flags.quiet) tell(io.stderr, joined(HELP));
  const output = protocolOutput();
  using signals = new Signals({ clock: io.clock, interactive: false });
  const sessions = new EditorSessions(io, { ...flags, save: true }, signals);
  const stream = sdk.ndJsonStream(output, bytesOf(io.stdin), { maxMessageBytes: MOST_BYTES });
  const connection = editorDoor(sdk, { io, version: version(), sessions }).connect(stream);
  signals.leave.addEventListener('abort', () => {
    connection.close();
  });
  await connection.closed;
  if (signals.status === undefined) signals.leaveWith('SIGHUP', 0); // as a terminal that is lost (G26)
  await sessions.closeAll();
  return signals.status ?? 0;
}

/** Converts an input stream to a stream of bytes. */
function bytesOf(input: AsyncIterable<unknown>): ReadableStream<Uint8Array> {
  const chunks = input[Symbol.asyncIterator]();
  return new ReadableStream({
    async pull(controller) {
      const next = await chunks.next();
      if (next.done === true) controller.close();
      else if (next.value instanceof Uint8Array) controller.enqueue(next.value);
    },
    async cancel() {
      await chunks.return?.();
    },
  });
}

const HELP = [
  shown`This is an agent for editors (JSON on stdin). Ctrl-D exits.`,
  shown`hint: add \`hitl acp\` to the editor’s settings (docs/guides/editors.md)`,
];
