const { PATH, HOME, NODE_COMPILE_CACHE } = process.env;

/** What a process of ours needs of the environment besides its settings, which a test gives it one by one. */
export const processEnv = { PATH, HOME, ...(NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE }) };
