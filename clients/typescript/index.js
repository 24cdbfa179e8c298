// Made by `npm run clients`: do not change it here.
import { operations as table } from "./operations.js";
/** An answer that is an error: branch on `code`. `unknown` is one that is not of the API, or a form's (see `body`). */
export class ProblemError extends Error {
    name = 'ProblemError';
    status;
    code;
    /** Every violation, by a JSON Pointer into the request part. */
    errors;
    requestId;
    body;
    constructor(response, body) {
        const problem = /problem\+json/.test(response.headers.get('content-type') ?? '')
            ? body
            : null;
        super(problem ? `${problem.code}: ${problem.detail}` : `HTTP ${response.status}`);
        this.status = response.status;
        this.code = problem?.code ?? 'unknown';
        this.errors = problem?.errors ?? [];
        this.requestId = response.headers.get('x-request-id');
        this.body = body;
    }
}
/** The pause after the first lost connection; the next are twice as long each. */
const FIRST_PAUSE_MS = 500;
/** Waits. Throws what `signal` is aborted with, at once. */
async function pause(ms, signal) {
    signal?.throwIfAborted();
    await new Promise((resolve, reject) => {
        const end = () => {
            clearTimeout(timer);
            reject(signal.reason);
        };
        const timer = setTimeout(() => {
            signal?.removeEventListener('abort', end);
            resolve();
        }, ms);
        signal?.addEventListener('abort', end, { once: true });
    });
}
function urlOf(baseUrl, path, { path: values = {}, query = {} }) {
    const url = new URL(baseUrl.replace(/\/+$/, '') +
        path.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(String(values[name]))));
    for (const [name, value] of Object.entries(query))
        for (const one of [value].flat())
            if (one !== undefined)
                url.searchParams.append(name, String(one));
    return url;
}
function bodyOf(type, body) {
    if (type === null || body === undefined)
        return null;
    if (type === 'application/json')
        return JSON.stringify(body);
    const form = new FormData();
    for (const [name, value] of Object.entries(body))
        if (value !== undefined)
            form.append(name, value);
    return form;
}
/** JSON as what it says, text (lines of JSON, too) as it is, and what is neither, a workbook, as a Blob. */
async function read(response) {
    const type = response.headers.get('content-type') ?? '';
    if (type !== '' && !/^text\/|json/.test(type))
        return response.blob();
    const text = await response.text();
    if (text === '')
        return undefined;
    return /[/+]json/.test(type) ? JSON.parse(text) : text;
}
/**
 * A function for every operation, by its operationId. A call answers the body, or throws a ProblemError. Calls that were
 * refused by the rate limit are repeated one after another, as fast as the limit allows.
 */
export function createClient({ baseUrl, token, retries = 3, maxWait = 60, fetch: send = fetch }) {
    /** When the next call after those that wait may be repeated, by Date.now(). */
    let free = 0;
    /**
     * How long to wait after a 429 (ms): as it says, and for the calls that wait already, because each needs a token and
     * these come at a steady rate. Another limit than that of all calls (of logins, of mails) has no such line.
     */
    function placeInLine({ headers }, wait) {
        const numberOf = (name) => Number(headers.get(`ratelimit-${name}`) ?? NaN);
        const perToken = numberOf('reset') / numberOf('limit');
        if (numberOf('remaining') !== 0 || !(perToken > 0))
            return wait * 1000;
        const now = Date.now();
        const at = Math.max(now + wait * 1000, free);
        if (at - now <= maxWait * 1000)
            free = at + perToken * 1000;
        return at - now;
    }
    async function call(id, input = {}) {
        const [method, path, type] = table[id];
        const key = input.idempotencyKey === true ? crypto.randomUUID() : input.idempotencyKey;
        const url = urlOf(baseUrl, path, input);
        let left = retries;
        let waited = 0;
        for (;;) {
            const bearer = typeof token === 'function' ? await token() : token;
            const headers = new Headers({ accept: 'application/json, */*;q=0.1' });
            if (bearer)
                headers.set('authorization', `Bearer ${bearer}`);
            if (key)
                headers.set('idempotency-key', key);
            if (input.ifMatch !== undefined)
                headers.set('if-match', `"${input.ifMatch}"`);
            if (type === 'application/json' && input.body !== undefined)
                headers.set('content-type', type);
            let response;
            let body;
            try {
                response = await send(url, { method, headers, body: bodyOf(type, input.body), signal: input.signal ?? null });
                body = await read(response);
            }
            catch (error) {
                // The connection failed, perhaps after the call was executed. (A SyntaxError: the answer is no JSON.)
                if (error instanceof SyntaxError || left <= 0 || input.signal?.aborted || !(method === 'GET' || key))
                    throw error;
                await pause(FIRST_PAUSE_MS * 2 ** (retries - left), input.signal);
                left -= 1;
                continue;
            }
            if (response.ok)
                return body;
            const asked = Number(response.headers.get('retry-after') ?? NaN);
            const isRefused = response.status === 429;
            // A 429 says that nothing was done. After a 503 a POST may have been, unless its key tells.
            const mayRepeat = isRefused ? retries > 0 : response.status === 503 && left > 0 && (method !== 'POST' || key);
            if (!mayRepeat || !(asked <= maxWait))
                throw new ProblemError(response, body);
            const wait = isRefused ? placeInLine(response, asked) : asked * 1000;
            // Refusals are bounded by time: others may take the token that a call has waited for.
            if (isRefused)
                waited += wait;
            else
                left -= 1;
            if (waited > maxWait * 1000)
                throw new ProblemError(response, body);
            await pause(wait, input.signal);
        }
    }
    return Object.fromEntries(Object.keys(table).map((id) => [id, (input) => call(id, input)]));
}
/** Everything that a list holds, page by page: `for await (const contact of each(client.listContacts, { query: { tag: 'vip' } }))`. */
export async function* each(list, ...[input]) {
    const { query, ...rest } = (input ?? {});
    for (let cursor;;) {
        const { data, page } = await list({ ...rest, query: { ...query, ...(cursor ? { cursor } : {}) } });
        yield* data;
        if (page.nextCursor === null)
            return;
        cursor = page.nextCursor;
    }
}
