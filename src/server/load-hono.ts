import type { Hono } from 'hono';
import type { createAdaptorServer } from '@hono/node-server';
import { HitlError } from '../core/index.js';

/** The parts of the optional web server packages that are used. */
export interface ServerPackages {
  readonly Hono: typeof Hono;
  readonly createAdaptorServer: typeof createAdaptorServer;
}

/**
 * Loads the web server packages.
 * @throws HitlError BAD_CONFIG if they are not installed.
 */
export async function loadHono(): Promise<ServerPackages> {
  try {
    const [{ Hono }, { createAdaptorServer }] = await Promise.all([
      import('hono'),
      import('@hono/node-server'),
    ]);
    return { Hono, createAdaptorServer };
  } catch (cause) {
    throw new HitlError('BAD_CONFIG', 'hitl serve needs two optional packages', {
      hint: 'npm install hono@4 @hono/node-server@2',
      cause,
    });
  }
}
