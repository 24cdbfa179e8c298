const { PATH, HOME, NODE_COMPILE_CACHE } = process.env;

/** The environment that our processes need in addition to their settings, which tests pass one by one. */
export const processEnv = { PATH, HOME, ...(NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE }) };
