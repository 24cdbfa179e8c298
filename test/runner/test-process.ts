import { fork, type ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { AssertionResult } from '@jest/test-result';
import { LEAK_MS, type Message, type Order } from './messages.ts';

const PROCESS = resolve(import.meta.dirname, 'process.ts');
/** Caches compiled modules, like `npm test`: each process loads a third faster. */
const NODE_COMPILE_CACHE = resolve(import.meta.dirname, '../../node_modules/.cache/node');
/**
 * A test that blocks its event loop cannot time out from within: its process is killed if it reports nothing for this
 * many times a test's time limit.
 */
const SILENCE = 2;
/** A process that has grown beyond this runs no further file. */
const MAX_RESIDENT_BYTES = 1024 ** 3;

/** What the process of a test file has reported, and how the file ended. */
export interface Ended {
  results: AssertionResult[] | undefined;
  output: string;
  /** What is wrong with the file as a whole, or null. */
  fault: string | null;
}

/** The running process groups. */
const running = new Set<number>();
process.on('exit', () => {
  for (const group of running) killGroup(group);
});

/** A process that runs test files, one at a time. */
export class TestProcess {
  readonly #child: ChildProcess;
  readonly #group: number;
  readonly #closed: Promise<string>;
  #output = '';
  #mayRunMore = true;
  /** How the process ended, or null. */
  #endedWith: string | null = null;
  #lastFile = '';
  #heard: (message: Message) => void = () => {};

  constructor() {
    this.#child = fork(PROCESS, {
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      env: { NODE_COMPILE_CACHE, ...process.env, NODE_ENV: 'test' },
    });
    this.#group = this.#child.pid!;
    running.add(this.#group);
    for (const stream of [this.#child.stdout!, this.#child.stderr!])
      stream.setEncoding('utf8').on('data', (piece: string) => {
        this.#output += piece;
      });
    this.#child.on('message', (message: Message) => this.#heard(message));
    this.#closed = new Promise((closed) =>
      this.#child.once('close', (code, signal) => {
        this.#endedWith = String(signal ?? code);
        killGroup(this.#group);
        running.delete(this.#group);
        closed(this.#endedWith);
      }),
    );
  }

  /** All tests so far have passed, and left nothing behind and not too much memory. */
  get mayRunMore(): boolean {
    return this.#mayRunMore;
  }

  /** Runs a test file. Afterwards the process has ended, or `mayRunMore`. */
  async run(order: Order): Promise<Ended> {
    let results: AssertionResult[] | undefined;
    let fault: string | null = null;
    let current = 'loading';
    if (this.#endedWith !== null) {
      this.#mayRunMore = false;
      return { results, output: this.#output, fault: this.#deathBetweenFiles() };
    }
    this.#output = '';
    this.#lastFile = order.file;
    const silenceMs = SILENCE * order.timeoutMs + LEAK_MS;
    const silence = setTimeout(() => {
      fault = `Nothing was heard for ${silenceMs / 1000} s. Last: ${current}`;
      killGroup(this.#group);
    }, silenceMs);
    const over = new Promise<null>((resolveOver) => {
      this.#heard = (message) => {
        silence.refresh();
        if (message.type === 'began') current = message.name;
        else if (message.type === 'failed') fault ??= message.reason;
        else if (message.type === 'done') results = message.results;
        else {
          const failed = results?.some(({ status }) => status === 'failed') ?? true;
          this.#mayRunMore = fault === null && !failed && message.residentBytes < MAX_RESIDENT_BYTES;
          resolveOver(null);
        }
      };
    });
    this.#child.send(order);
    const how = await Promise.race([over, this.#closed]);
    clearTimeout(silence);
    if (how !== null) fault ??= `Its process ended with ${how} ${results ? 'after its tests' : `in: ${current}`}`;
    const left = await this.#leftForLong();
    if (left.length > 0) fault ??= `It left processes behind:\n${left.join('\n')}`;
    if (fault !== null) this.#mayRunMore = false;
    if (!this.#mayRunMore) await this.end();
    return { results, output: this.#output, fault };
  }

  /** Ends the process, and what it left behind. Throws if it died after its last file, which nobody else reports. */
  async end(): Promise<void> {
    if (this.#mayRunMore && this.#endedWith !== null) throw new Error(this.#deathBetweenFiles());
    this.#mayRunMore = false;
    if (this.#left().length > 0) killGroup(this.#group);
    else if (this.#child.connected) this.#child.send('end' satisfies Order | 'end', () => {});
    await this.#closed;
  }

  #deathBetweenFiles(): string {
    return `The process ended with ${this.#endedWith} after it had run ${this.#lastFile}:\n${this.#output}`;
  }

  /** Processes that were told to end may need a moment. */
  async #leftForLong(): Promise<string[]> {
    const deadline = Date.now() + LEAK_MS;
    while (this.#left().length > 0 && Date.now() < deadline) await delay(50);
    return this.#left();
  }

  /** The command lines of the processes of its group beside itself, without those that have ended. */
  #left(): string[] {
    return membersOf(this.#group).filter((line) => !line.startsWith(`${this.#group} `));
  }
}

function killGroup(group: number): void {
  try {
    process.kill(-group, 'SIGKILL');
  } catch {
    // It has already ended.
  }
}

/** The ids and command lines of a group's processes, without those that have ended. */
function membersOf(group: number): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const stat = readFileSync(join('/proc', pid, 'stat'), 'utf8');
        const [state, , processGroup] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
        if (Number(processGroup) !== group || state === 'Z') return [];
        return [
          `${pid} ${readFileSync(join('/proc', pid, 'cmdline'), 'utf8')
            .replaceAll('\0', ' ')
            .trim()}`,
        ];
      } catch {
        return [];
      }
    });
}
