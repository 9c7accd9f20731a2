import type { Interrupt, JsonValue } from '../core/index.js';
import { HitlError, interruptShapeProblem, messageOf } from '../core/index.js';

import type { DefinedTool, OwnInterrupt } from './defined-tool.js';
import * as resolutions from './resolutions.js';
import { toJson } from './to-json.js';
import type { ToolSchemas } from './tool-schemas.js';
import { checkNow } from './tool-schemas.js';

type Answers = Pick<DefinedTool<unknown, unknown, unknown>, 'owns' | 'respond' | 'restart'>;

/**
 * Returns the functions that create answers for the tool `name`. An invalid answer is refused when it is
 * created, not when it is used.
 */
export function answersOf(name: string, schemas: ToolSchemas): Answers {
  return {
    owns: (interrupt): interrupt is OwnInterrupt<unknown> =>
      interruptShapeProblem(interrupt) === undefined && isOf(interrupt, name),
    respond(interrupt, output, options = {}) {
      resolutions.checkGiven(interrupt, options);
      checkOwner(interrupt, name);
      checkNow(schemas.output, output, `the output for \`${name}\``);
      return resolutions.respond(interrupt, answerJson(output, `the output for \`${name}\``), options);
    },
    restart(interrupt, options = {}) {
      resolutions.checkGiven(interrupt, options);
      checkOwner(interrupt, name);
      const { input, metadata, note, by } = options;
      if (input !== undefined) checkNow(schemas.input, input, `the new input of \`${name}\``);
      if (metadata !== undefined) checkNow(schemas.resume, metadata, `the metadata for \`${name}\``);
      return resolutions.restart(interrupt, {
        ...(input !== undefined && { input: answerJson(input, `the new input of \`${name}\``) }),
        ...(metadata !== undefined && { metadata: answerJson(metadata, `the metadata for \`${name}\``) }),
        ...(note !== undefined && { note }),
        ...(by !== undefined && { by }),
      });
    },
  };
}

/**
 * Converts an answer to JSON. If that is not possible, the error says that the answer is invalid, not that
 * the tool failed.
 */
function answerJson(value: unknown, what: string): JsonValue {
  try {
    return toJson(value, what);
  } catch (cause) {
    throw new HitlError('BAD_ANSWER', messageOf(cause), { cause });
  }
}

function isOf({ source }: Interrupt, name: string): boolean {
  return source.type === 'tool' && source.name === name;
}

function checkOwner(interrupt: Interrupt, name: string): void {
  if (isOf(interrupt, name)) return;
  const { id, source } = interrupt;
  const owner = source.type === 'tool' ? `tool \`${source.name}\`` : `a ${source.type}`;
  throw new HitlError('BAD_ANSWER', `interrupt \`${id}\` belongs to ${owner}, not to tool \`${name}\``, {
    hint: 'build the answer with the tool that raised the interrupt',
  });
}
