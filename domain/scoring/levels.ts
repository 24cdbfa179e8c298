/** Boundaries of a tenant that has set none. */
export const DEFAULT_LEVELS = { warm: 30, hot: 70 };
