import { cutLine } from './cut-line.ts';

/** What happens to the commit of a transaction that stores the response to an Idempotency-Key. */
export type Fault =
  /** Postgres commits, but its reply is lost: `onCommitted` is called instead. */
  | { lose: 'reply'; onCommitted: () => void }
  /** The connection breaks before Postgres receives the commit. */
  | { lose: 'commit' }
  | null;

export interface CommitLine {
  port: number;
  /** Happens once, to the next such commit. */
  fault: Fault;
  close: () => Promise<void>;
}

/**
 * A proxy to Postgres that parses the traffic: it recognises transactions that write to `idempotent_answers`, and their
 * commits.
 */
export async function commitLine(host: string, port: number): Promise<CommitLine> {
  const line = await cutLine(host, port, () => {
    let keeps = false;
    let committing: Fault = null;
    return {
      sent(piece) {
        keeps ||= piece.includes('insert into idempotent_answers');
        if (!keeps || !piece.includes('commit\0')) return 'goes on';
        keeps = false;
        [committing, commits.fault] = [commits.fault, null];
        return committing?.lose === 'commit' ? 'cut' : 'goes on';
      },
      answered(piece) {
        if (committing?.lose !== 'reply' || !piece.includes('COMMIT\0')) return 'goes on';
        committing.onCommitted();
        return 'lost';
      },
    };
  });
  const commits: CommitLine = { port: line.port, fault: null, close: () => line.cut() };
  return commits;
}
