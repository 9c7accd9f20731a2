import * as z from 'zod';

/** The origin that people see of tools by which other programs ask. */
export const ASKED = 'hitl mcp';

/** The program that asks, as it names itself, and where it was started. */
export const From = z.string().min(1).max(200);
