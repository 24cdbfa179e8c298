// Made by `npm run clients`: do not change it here.
import type { operations as table } from './operations.ts';
import type { components, operations } from './schema.d.ts';
/** The named shapes of the API: `Schemas['Contact']`. */
export type Schemas = components['schemas'];
export type OperationId = keyof typeof table;
type Part<K extends OperationId, P extends 'path' | 'query'> = operations[K]['parameters'][P];
type Given<P extends string, T> = [NonNullable<T>] extends [never] ? {
    [N in P]?: never;
} : undefined extends T ? {
    [N in P]?: T;
} : object extends T ? {
    [N in P]?: T;
} : {
    [N in P]: T;
};
type Media<T> = T extends {
    content: infer C;
} ? C[keyof C] : undefined;
type BodyOf<K extends OperationId> = operations[K] extends {
    requestBody: infer R;
} ? Media<R> : operations[K] extends {
    requestBody?: infer R;
} ? Media<NonNullable<R>> | undefined : undefined;
/** All but a page for browsers. */
type Answer<T> = T extends {
    content: infer C;
} ? C[Exclude<keyof C, 'text/html'>] : undefined;
/** What an operation answers when all is well. */
export type Result<K extends OperationId> = {
    [S in keyof operations[K]['responses']]: S extends 200 | 201 | 202 | 204 ? Answer<operations[K]['responses'][S]> : never;
}[keyof operations[K]['responses']];
export interface Options {
    /** For POSTs: repeated under the same key, the request is done once. `true` makes a key for this call and its retries. */
    idempotencyKey?: string | true;
    /** The `version` that the change is meant for: another one is a ProblemError `precondition_failed`. */
    ifMatch?: number;
    signal?: AbortSignal;
}
export type Input<K extends OperationId> = Given<'path', Part<K, 'path'>> & Given<'query', Part<K, 'query'>> & Given<'body', BodyOf<K>> & Options;
type Call<K extends OperationId> = object extends Input<K> ? (input?: Input<K>) => Promise<Result<K>> : (input: Input<K>) => Promise<Result<K>>;
export type Client = {
    [K in OperationId]: Call<K>;
};
export {};
