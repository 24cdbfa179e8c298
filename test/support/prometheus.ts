/** What Prometheus does with metrics: reads their text format strictly, and evaluates the expressions of our rules. */
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

export interface Sample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

const NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;
const SAMPLE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/;
const LABEL = /^([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)/;

/**
 * Reads the text format. Throws for what a scrape would refuse, or `promtool check metrics` complain about: lines that
 * cannot be read, families without help or type, samples outside their family or twice, and names that break the rules.
 */
export function readMetrics(text: string): Sample[] {
  const samples: Sample[] = [];
  const seen = new Set<string>();
  const helps = new Map<string, string>();
  let family = { name: '', type: '' };
  if (!text.endsWith('\n')) throw new Error('the last line has no end');
  for (const line of text.split('\n')) {
    if (line === '') continue;
    const [, kind, name = '', rest = ''] = /^# (HELP|TYPE) (\S+) (.+)$/.exec(line) ?? [];
    if (kind === 'HELP') {
      if (helps.has(name)) throw new Error(`two families are called ${name}`);
      helps.set(name, rest);
    } else if (kind === 'TYPE') {
      if (!helps.has(name)) throw new Error(`${name} has no help`);
      family = { name, type: rest };
      assertNamed(name, rest);
    } else {
      const sample = readSample(line);
      const suffixes = family.type === 'histogram' ? ['_bucket', '_sum', '_count'] : [''];
      if (!suffixes.some((suffix) => sample.name === family.name + suffix))
        throw new Error(`outside its family: ${line}`);
      const key = keyOf(sample);
      if (seen.has(key)) throw new Error(`twice: ${line}`);
      seen.add(key);
      samples.push(sample);
    }
  }
  return samples;
}

/** The rules of `promtool check metrics` for names. */
function assertNamed(name: string, type: string): void {
  if (!NAME.test(name)) throw new Error(`not a name: ${name}`);
  if (!['counter', 'gauge', 'histogram'].includes(type)) throw new Error(`${name} is of the type ${type}`);
  if ((type === 'counter') !== name.endsWith('_total'))
    throw new Error(`only counters, and all, end in _total: ${name}`);
  if (type !== 'histogram' && /_(count|sum|bucket)$/.test(name)) throw new Error(`named like a histogram: ${name}`);
  if (/_(milliseconds|ms|minutes|kilobytes|percent)(_|$)/.test(name)) throw new Error(`not a base unit: ${name}`);
  if (/[A-Z]/.test(name)) throw new Error(`not in snake case: ${name}`);
}

function readSample(line: string): Sample {
  const [, name, inner = '', value] = SAMPLE.exec(line) ?? [];
  const labels: Record<string, string> = {};
  let rest = inner;
  while (rest !== '') {
    const [whole, label, text] = LABEL.exec(rest) ?? [];
    if (whole === undefined || label! in labels) throw new Error(`labels that cannot be read: ${line}`);
    labels[label!] = text!;
    rest = rest.slice(whole.length);
  }
  const number = value === '+Inf' ? Infinity : Number(value);
  if (name === undefined || value === undefined || (Number.isNaN(number) && !/^nan$/i.test(value)))
    throw new Error(`cannot be read: ${line}`);
  return { name, labels, value: number };
}

const keyOf = ({ name, labels }: Sample): string => JSON.stringify([name, Object.entries(labels).sort()]);

/** Two scrapes, the later one last, `seconds` apart. */
export interface Scrapes {
  before: readonly Sample[];
  after: readonly Sample[];
  seconds: number;
}

/** The alerts of deploy/alerts.yml, with their expressions. */
export const alerts = new Map(
  (
    parse(readFileSync('deploy/alerts.yml', 'utf8')) as { groups: { rules: { alert: string; expr: string }[] }[] }
  ).groups.flatMap(({ rules }) => rules.map(({ alert, expr }) => [alert, expr] as const)),
);

/** Whether the expression of an alert holds for anything. How long it has to hold (`for`) is not looked at. */
export function holds(alert: string, scrapes: Scrapes): boolean {
  const expression = alerts.get(alert);
  if (expression === undefined) throw new Error(`no alert is called ${alert}`);
  return new Evaluation(expression, scrapes).value().length > 0;
}

interface Series {
  labels: Record<string, string>;
  value: number;
}

/** The part of PromQL that our rules use: selectors, `rate`, `increase`, aggregations, `/` and comparisons with a number. */
class Evaluation {
  readonly #tokens: string[];
  readonly #scrapes: Scrapes;

  constructor(expression: string, scrapes: Scrapes) {
    this.#tokens = expression.match(/"[^"]*"|[a-zA-Z_:][\w:]*|\d+(\.\d+)?[a-z]?|=~|[<>=!]=|[^\s\w]/g) ?? [];
    this.#scrapes = scrapes;
  }

  value(): Series[] {
    let left = this.#operand();
    if (this.#next('/')) {
      const [below] = this.#operand();
      left = left.flatMap(({ labels, value }) => (below ? [{ labels, value: value / below.value }] : []));
    }
    const operator = this.#take();
    const limit = Number(this.#take());
    if (this.#tokens.length > 0) throw new Error(`left over: ${this.#tokens.join(' ')}`);
    return left.filter(({ value }) => {
      if (operator === '>') return value > limit;
      if (operator === '==') return value === limit;
      throw new Error(`unknown operator ${operator}`);
    });
  }

  #operand(): Series[] {
    const word = this.#take();
    if (['sum', 'max', 'min'].includes(word)) {
      const by: string[] = [];
      if (this.#next('by')) {
        this.#take('(');
        do by.push(this.#take());
        while (this.#next(','));
        this.#take(')');
      }
      this.#take('(');
      const inner = this.#operand();
      this.#take(')');
      return aggregate(word, by, inner);
    }
    if (word === 'rate' || word === 'increase') {
      this.#take('(');
      const { name, matches } = this.#selector(this.#take());
      for (const token of ['[', null, ']', ')']) this.#take(token ?? undefined);
      const perSecond = word === 'rate' ? this.#scrapes.seconds : 1;
      const before = new Map(this.#scrapes.before.map((sample) => [keyOf(sample), sample.value]));
      return this.#scrapes.after
        .filter((sample) => sample.name === name && matches(sample))
        .flatMap((sample) => {
          // A series that was not there before has no increase.
          const first = before.get(keyOf(sample));
          return first === undefined ? [] : [{ labels: sample.labels, value: (sample.value - first) / perSecond }];
        });
    }
    const { name, matches } = this.#selector(word);
    return this.#scrapes.after.filter((sample) => sample.name === name && matches(sample));
  }

  #selector(name: string) {
    const matchers: ((labels: Record<string, string>) => boolean)[] = [];
    if (this.#next('{')) {
      do {
        const [label, operator, text] = [this.#take(), this.#take(), this.#take()];
        const wanted = JSON.parse(text) as string;
        if (operator !== '=' && operator !== '=~') throw new Error(`unknown matcher ${operator}`);
        const pattern = new RegExp(`^(?:${wanted})$`);
        matchers.push((labels) =>
          operator === '=' ? (labels[label] ?? '') === wanted : pattern.test(labels[label] ?? ''),
        );
      } while (this.#next(','));
      this.#take('}');
    }
    return { name, matches: ({ labels }: Sample) => matchers.every((holdsFor) => holdsFor(labels)) };
  }

  #next(token: string): boolean {
    if (this.#tokens[0] !== token) return false;
    this.#tokens.shift();
    return true;
  }

  #take(expected?: string): string {
    const token = this.#tokens.shift();
    if (token === undefined || (expected !== undefined && token !== expected))
      throw new Error(`${expected ?? 'more'} was expected, not ${token}`);
    return token;
  }
}

function aggregate(how: string, by: readonly string[], series: readonly Series[]): Series[] {
  const groups = Map.groupBy(series, ({ labels }) => JSON.stringify(by.map((label) => labels[label] ?? '')));
  return [...groups.values()].map((group) => {
    const values = group.map(({ value }) => value);
    const value =
      how === 'sum' ? values.reduce((a, b) => a + b, 0) : how === 'max' ? Math.max(...values) : Math.min(...values);
    return { labels: Object.fromEntries(by.map((label) => [label, group[0]!.labels[label] ?? ''])), value };
  });
}
