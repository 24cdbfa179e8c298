// Made by `npm run clients`: do not change it here.
import type { Client, Schemas } from './types.ts';
export type { Client, Input, OperationId, Options, Result, Schemas } from './types.ts';
export interface Settings {
    baseUrl: string;
    /** An access token or API key, or what gives the present one. */
    token?: string | (() => string | undefined | Promise<string | undefined>);
    /** How often a call that may be repeated is, after a 503 or a lost connection; default 3; with 0 nothing is repeated. */
    retries?: number;
    /** The longest that a call waits for the rate limit in all, or once after a 503, in seconds; default 60. */
    maxWait?: number;
    fetch?: typeof fetch;
}
/** An answer that is an error: branch on `code`. `unknown` is one that is not of the API, or a form's (see `body`). */
export declare class ProblemError extends Error {
    readonly name = "ProblemError";
    readonly status: number;
    readonly code: Schemas['ErrorCode'] | 'unknown';
    /** Every violation, by a JSON Pointer into the request part. */
    readonly errors: readonly Schemas['Violation'][];
    readonly requestId: string | null;
    readonly body: unknown;
    constructor(response: Response, body: unknown);
}
/**
 * A function for every operation, by its operationId. A call answers the body, or throws a ProblemError. Calls that were
 * refused by the rate limit are repeated one after another, as fast as the limit allows.
 */
export declare function createClient({ baseUrl, token, retries, maxWait, fetch: send }: Settings): Client;
type Lists = (input: never) => Promise<{
    data: unknown[];
    page: {
        nextCursor: string | null;
    };
}>;
/** Everything that a list holds, page by page: `for await (const contact of each(client.listContacts, { query: { tag: 'vip' } }))`. */
export declare function each<F extends Lists>(list: F, ...[input]: Parameters<F>): AsyncGenerator<Awaited<ReturnType<F>>['data'][number]>;
