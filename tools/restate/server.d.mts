/** A server of Restate that belongs to a test. */
export interface RestateServer {
  readonly admin: string;
  readonly ingress: string;
  crash(): Promise<void>;
  stop(): Promise<void>;
}

export function startRestate(options?: { readonly parent?: string }): Promise<RestateServer>;

export function freePort(): Promise<number>;
