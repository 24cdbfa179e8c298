import { KINDS, type Fault, type Kind, type MessageFault } from './ledger.ts';
import type { Step } from './schedule.ts';

type Move = [act: Step['act'], who?: number, n?: number, fate?: Step['fate']];
/** Process 0 has the first email on a connection. */
const onWire: Move[] = [['accept'], ['lease'], ['start'], ['start in Postgres'], ['connect']];
const released: Move[] = [...onWire, ['dot']];
/** Process 1 has it. */
const second: Move[] = [
  ['lease', 1],
  ['start', 1],
  ['start in Postgres', 1],
  ['connect', 1],
];

interface Showing {
  moves: Move[];
  /** What the check says. */
  by: RegExp;
  /** Whose rule it is; default: all. */
  kinds?: readonly Kind[];
}
/** The shortest schedules at which a broken rule shows. Random ones found most of them. */
const ofAll: Record<Fault, Showing> = {
  'sweeper queues': { moves: [...released, ['pass', 0, 4], ['sweep']], by: /QUEUED though it may have been accepted/ },
  'any attempt settles': {
    moves: [...onWire, ['end before the dot', 0, 2], ['settle', 0, 0, 'unanswered'], ...second, ['dot', 1], ['settle']],
    by: /QUEUED though it may have been accepted/,
  },
  'attempts are not counted': {
    moves: [...onWire, ['end before the dot', 0, 2], ['settle', 0, 0, 'unanswered'], ...second, ['dot', 1], ['settle']],
    by: /QUEUED though it may have been accepted/,
  },
  'any status settles': {
    // The operator's word stands: it is to be sent again. With messages that is another attempt.
    kinds: ['journey', 'campaign'],
    moves: [...released, ['dot arrives'], ['reply'], ['pass', 0, 4], ['sweep'], ['resolve'], ['settle']],
    by: /SENT though it was not accepted/,
  },
  'anything is resolved': { moves: [...onWire, ['resolve'], ['dot']], by: /a dot is let go whose lease has ended/ },
  'started again from SENDING': {
    moves: [
      ['accept'],
      ['lease'],
      ['start'],
      ['pass', 0, 2],
      ['lease'],
      ['start'],
      ['start in Postgres'],
      ['start in Postgres'],
      ['connect'],
      ['connect'],
      ['dot'],
    ],
    by: /a dot is let go whose lease has ended/,
  },
  'settling forgets the sweeper': {
    moves: [...released, ['dot arrives'], ['pass', 0, 4], ['sweep'], ['reply'], ['settle']],
    by: /accepted and settled, but not SENT/,
  },
  'not sent is not believed': {
    moves: [...onWire, ['freeze'], ['pass', 0, 4], ['sweep'], ['wake'], ['dot'], ['settle']],
    by: /settled as not sent, but UNKNOWN/,
  },
  'lost starts are taken back by number': {
    moves: [
      ['accept'],
      ['lease'],
      ['start'],
      ['start in Postgres', 0, 0, 'undone'],
      ['pass', 0, 2],
      ...second,
      ['dot', 1],
      ['settle'],
    ],
    by: /QUEUED though it may have been accepted/,
  },
  'gates are not asked again': {
    moves: [['accept'], ['unsubscribe', 0, 0, 'undone'], ['lease'], ['start'], ['start in Postgres']],
    by: /started though its recipient has unsubscribed/,
  },
  'dots without a lease': {
    moves: [...onWire, ['freeze'], ['pass', 0, 4], ['wake'], ['dot']],
    by: /a dot is let go whose lease has ended/,
  },
  'silence is a failure': {
    moves: [...released, ['reply', 0, 0, 'unanswered'], ['settle']],
    by: /FAILED though it may have been accepted/,
  },
  'silence is an end': {
    moves: [...released, ['reply', 0, 0, 'unanswered'], ['settle']],
    by: /QUEUED though it may have been accepted/,
  },
  'twins are both sent': {
    moves: [
      ['accept'],
      ['lease'],
      ['suspend'],
      ['pass', 0, 2],
      ['wake'],
      ['lease'],
      ['start', 0, 1],
      ['start in Postgres'],
      ['connect'],
      ['dot'],
      ['dot arrives'],
      ['reply'],
      ['connect'],
      ['dot'],
    ],
    by: /two dots of one start/,
  },
  'lost starts are not in doubt': {
    moves: [
      ['accept', 0, 2],
      ['lease'],
      ['start'],
      ['start in Postgres', 0, 0, 'unanswered'],
      ['lease', 0, 1],
      ['start', 0, 1],
      ['start in Postgres'],
    ],
    by: /3 sends of h1 would be UNKNOWN/,
  },
  'sweeper does not wait': {
    moves: [...onWire, ['sweep']],
    by: /UNKNOWN though its sender is neither lost nor without a reply/,
  },
  'any dot is a success': {
    moves: [...released, ['dot arrives', 0, 2], ['reply'], ['settle']],
    by: /SENT though it was not accepted/,
  },
};

/**
 * The text was let go, and accepted, and its provider did not answer; it will be asked again. Process 1 has the rest.
 */
const inDoubt: Move[] = [
  ...released,
  ['lease', 1, 1],
  ['dot arrives'],
  ['reply', 0, 0, 'unanswered'],
  ['settle'],
  ['pass'],
];

/** The same for rules of text messages and pushes. The first send is a text, which providers know by its key. */
const ofMessages: Record<MessageFault, Showing> = {
  'any provider is asked again': {
    moves: [...inDoubt, ['lease'], ['start', 0, 3], ['start in Postgres'], ['connect'], ['dot']],
    by: /another dot after one that may have been accepted/,
  },
  'a refusal ends a doubt': {
    moves: [
      ...inDoubt,
      ['lease'],
      ['start'],
      ['start in Postgres'],
      ['connect'],
      ['dot'],
      ['dot arrives', 0, 3],
      ['reply'],
      ['settle'],
    ],
    by: /FAILED though it may have been accepted/,
  },
  'a doubt is suppressed': {
    moves: [...inDoubt, ['unsubscribe']],
    by: /SUPPRESSED though it may have been accepted/,
  },
  'a doubt expires': {
    moves: [...released, ['dot arrives'], ['reply', 0, 0, 'unanswered'], ['pass', 0, 8], ['settle']],
    by: /FAILED though it may have been accepted/,
  },
  'reports of a doubt are forgotten': {
    moves: [...inDoubt, ['report', 0, 1], ['unsubscribe']],
    by: /UNKNOWN though something was told about it/,
  },
  'reports go back': {
    moves: [...released, ['dot arrives'], ['reply'], ['settle'], ['report'], ['report', 0, 1]],
    by: /SENT though it was delivered/,
  },
  'a proof comes too late': {
    // The operator says that it failed, then its provider tells of it.
    moves: [...released, ['dot arrives'], ['pass', 0, 4], ['sweep'], ['resolve', 2], ['report']],
    by: /FAILED though it was delivered/,
  },
  'old ones are started': {
    moves: [['accept'], ['pass', 0, 8], ['lease'], ['start'], ['start in Postgres']],
    by: /started after nobody took it for too long/,
  },
  'keys are kept for ever': {
    moves: [...inDoubt, ['pass', 0, 7], ['lease'], ['start'], ['start in Postgres'], ['connect'], ['dot']],
    by: /asked again when its key may be forgotten/,
  },
};

export interface Shown {
  fault: Fault | MessageFault;
  schedule: Step[];
  by: RegExp;
}

/** For each rule that a ledger of this kind has: a schedule at which it shows if it is broken. */
export function shownFaults(kind: Kind): Shown[] {
  const showing = Object.entries<Showing>(kind === 'messages' ? { ...ofAll, ...ofMessages } : ofAll);
  return showing
    .filter(([, { kinds = KINDS }]) => kinds.includes(kind))
    .map(([fault, { moves, by }]) => ({
      fault: fault as Shown['fault'],
      schedule: moves.map(([act, who = 0, n = 0, fate = 'answered']) => ({ act, who, n, fate })),
      by,
    }));
}
