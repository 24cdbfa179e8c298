import type { LogLevel, LogMetadata, Logger as TemporalLogger } from '@temporalio/common';
import type { Logger } from '../config/logger.ts';

/** Forwards the log of Temporal's SDK and native core to our log. */
export function temporalLogger(log: Logger): TemporalLogger {
  const write = (level: LogLevel, message: string, { error, ...meta }: LogMetadata = {}): void => {
    const line = log[level.toLowerCase() as Lowercase<LogLevel>].bind(log);
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
