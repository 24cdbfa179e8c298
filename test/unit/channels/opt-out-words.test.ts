import assert from 'node:assert/strict';
import { test } from '@jest/globals';
import { readText } from '../../../domain/channels/inbound/opt-out-words.ts';

/** Words of a tenant beside the usual ones; two of them have nothing that a text could have. */
const OWN = ['Arrêt', 'parar', 'nicht mehr', '退订', '!!', ''];

const STOPS = [
  ...[
    'stop',
    'STOP',
    'Stop',
    'sToP',
    'Stop.',
    'STOP!!',
    ' stop ',
    '\n\tSTOP\r\n',
    '"Stop"',
    '(stop)',
    '*STOP*',
    'stop…',
    'STOP :-)',
  ],
  ...[
    'stop 🙏',
    'ＳＴＯＰ',
    'ｓｔｏｐ！',
    'STOP\u00a0',
    '\u2003stop\u2003',
    '\u200bSTOP\u200b',
    '\ufeffstop',
    '¡STOP!',
    '«stop»',
    's\u00adtop',
  ],
  ...['S T O P', 's.t.o.p', 'stop stop', 'STOP, STOP!', 'Stop. Unsubscribe.'],
  ...[
    'stopall',
    'STOP ALL',
    'stop-all',
    'quit',
    'QUIT.',
    'end',
    'End!',
    'revoke',
    'Revoke',
    'opt out',
    'Opt-Out',
    'OPTOUT',
    'opt\nout',
  ],
  ...['cancel', 'CANCEL!', 'unsubscribe', 'UnSubscribe', 'un-subscribe', 'unsubscríbe'],
  ...['arrêt', 'ARRET', 'Arre\u0302t!', 'parar', 'Nicht  mehr.', '退订', '退订。'],
];
const MAYBES = [
  ...[
    'please stop',
    "don't stop",
    'don’t stop',
    'Stop sending me this',
    'STOP it!',
    'can I stop 2 of them?',
    'never stop',
    'the end of it',
  ],
  ...[
    'I want to opt out',
    'how do I opt-out?',
    'please unsubscribe me',
    'cancel my order',
    'STOP 12345',
    'nonstop? stop-and-go',
    'yes stop',
  ],
  ...['nicht mehr bitte', 'bitte nicht mehr', '请退订我', 'stop help', '1. stop'],
];
const NOES = [
  ...[
    '',
    ' ',
    '!!',
    '…',
    '👍',
    'hello',
    'unstoppable',
    'stopped',
    'nonstop',
    'stopp',
    'Stopover',
    'ending',
    'weekend',
    'quite',
    'optional out',
  ],
  ...['out opt', 'opt in, not ut', 'mehr nicht', 'cancelled', 'no', 'ok', '0', 'thanks!'],
];

test('a text that is only a word that opts out does so, however it is written', () => {
  for (const text of STOPS)
    assert.deepEqual(readText(text, OWN), { optOut: 'yes', wish: 'stop' }, JSON.stringify(text));
});

test('a longer text with such a word may do so', () => {
  for (const text of MAYBES)
    assert.deepEqual(readText(text, OWN), { optOut: 'maybe', wish: null }, JSON.stringify(text));
});

test('other texts do not', () => {
  for (const text of NOES) assert.deepEqual(readText(text, OWN), { optOut: 'no', wish: null }, JSON.stringify(text));
  for (const text of ['arrêt', '退订', 'nicht mehr']) assert.equal(readText(text).optOut, 'no', text);
});

test('a text can undo it, or ask for help; a word of the tenant comes first', () => {
  for (const text of ['start', 'START!', 'Unstop', 'yes', 'Yes.', 'ＹＥＳ'])
    assert.deepEqual(readText(text), { optOut: 'no', wish: 'start' }, text);
  for (const text of ['help', 'HELP?', 'info', 'Info.'])
    assert.deepEqual(readText(text), { optOut: 'no', wish: 'help' }, text);
  for (const text of ['yes please', 'start again', 'help me', 'info about prices', 'start help'])
    assert.equal(readText(text).wish, null, text);
  assert.deepEqual(readText('info', ['INFO']), { optOut: 'yes', wish: 'stop' });
});

test('a long text is read in no time', () => {
  assert.equal(readText('a '.repeat(100_000), OWN).optOut, 'no');
  assert.equal(readText('stop '.repeat(100_000), OWN).optOut, 'yes');
});
