import assert from 'node:assert/strict';
import { test } from '@jest/globals';
import { isAutomatedAgent } from '../../../domain/tracking/tracking-agents.ts';

const people = [
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 Safari/537.36',
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko)',
  'Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)',
  'Mozilla/5.0 (compatible; YahooMailProxy; https://help.yahoo.com/kb/yahoo-mail-proxy-SLN28749.html)',
  'Mozilla/4.0 (compatible; ms-office; MSOffice rmj)',
  'Mozilla/5.0 (Linux; Android 13; CUBOT P80) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 Mobile Safari/537.36',
  'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Thunderbird/128.0',
  'curl/8.14.1',
  'node',
  '',
];
const machines = [
  'Barracuda Sentinel (EE)',
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Microsoft Office Existence Discovery',
  'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)',
  'facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)',
  'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
  'Mozilla/5.0 (Windows NT 6.1; WOW64) AppleWebKit/534+ (KHTML, like Gecko) BingPreview/1.0b',
  'WhatsApp/2.23.20.0 A',
];

test('people, their mail programs and the proxies in front of them are not automated', () => {
  for (const agent of people) assert.equal(isAutomatedAgent(agent), false, agent);
  assert.equal(isAutomatedAgent(undefined), false);
  assert.equal(isAutomatedAgent(null), false);
});

test('scanners, link checkers and previews that name themselves are', () => {
  for (const agent of machines) assert.equal(isAutomatedAgent(agent), true, agent);
  assert.equal(isAutomatedAgent('googlebot/2.1'), true, 'in any case');
});
