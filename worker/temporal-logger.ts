import type { LogLevel, LogMetadata, Logger as TemporalLogger } from '@temporalio/common';
import type { Logger } from '../config/logger.ts';

/** A warning of the SDK about a worker that has activities only, as ours for jobs are. */
const ACTIVITIES_ONLY = 'No workflows registered, not polling for workflow tasks';

/** Forwards the log of Temporal's SDK and native core to our log. */
export function temporalLogger(log: Logger): TemporalLogger {
  const write = (level: LogLevel, message: string, { error, ...meta }: LogMetadata = {}): void => {
    const ours = message === ACTIVITIES_ONLY ? 'DEBUG' : level;
    const line = log[ours.toLowerCase() as Lowercase<LogLevel>].bind(log);
    line({ ...meta, ...(error === undefined ? {} : { err: error as Error }) }, message);
  };
  return {
    log: write,
    trace: (message, meta) => write('TRACE', message, meta),
    debug: (message, meta) => write('DEBUG', message, meta),
    info: (message, meta) => write('INFO', message, meta),
    warn: (message, meta) => write('WARN', message, meta),
    error: (message, meta) => write('ERROR', message, meta),
  };
}
