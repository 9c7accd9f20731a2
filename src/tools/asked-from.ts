import * as z from 'zod/mini';

/** The origin that people see of tools by which other programs ask. */
export const ASKED = 'hitl mcp';

/** The program that asks, as it names itself, and where it was started. */
export const From = z.string().check(z.minLength(1), z.maxLength(200));
